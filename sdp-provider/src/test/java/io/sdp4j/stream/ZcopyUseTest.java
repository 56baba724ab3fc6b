package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.policy.Settings;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: buffers are borrowed where the fabric says that it saves copies, or where it is set. */
class ZcopyUseTest {
    private static Capabilities capabilities(boolean sparesCopies, int reads) {
        return new Capabilities(92, false, reads, sparesCopies, 1 << 20, true);
    }

    @ParameterizedTest
    @CsvSource({
        "auto, true, true",
        "auto, false, false",
        "true, false, true",
        "on, false, true",
        "'', false, true",
        "false, true, false",
        "off, true, false"
    })
    void theSettingGoesBeforeTheFabric(String value, boolean sparesCopies, boolean used) {
        Settings settings =
                Settings.of(
                        SdpSettings.ALL,
                        Map.of("zcopy.enabled", value),
                        new Properties(),
                        line -> {});
        StreamSettings.Zcopy zcopy = StreamSettings.of(settings).zcopy();
        assertEquals(used, zcopy.usable(capabilities(sparesCopies, 16)));
        assertFalse(zcopy.usable(capabilities(sparesCopies, 0)), "there is no RDMA");
    }

    @Test
    void withoutASettingTheFabricDecides() {
        StreamSettings.Zcopy zcopy = StreamSettings.of(Settings.defaults(SdpSettings.ALL)).zcopy();
        for (boolean sparesCopies : new boolean[] {true, false}) {
            assertEquals(sparesCopies, zcopy.usable(capabilities(sparesCopies, 16)));
        }
    }
}
