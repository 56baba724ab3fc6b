package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.policy.Settings;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: over a device buffers are larger and fewer; elsewhere as they are. */
class DeviceBuffersTest {
    private static Capabilities capabilities(boolean sendsCompleteAtPost) {
        return new Capabilities(92, sendsCompleteAtPost, 16, true, 1 << 20, true);
    }

    private static StreamSettings settings(String options) {
        Map<String, String> given = new HashMap<>();
        for (String option : options.split(",", -1)) {
            String[] parts = option.split("=", 2);
            if (parts.length == 2) {
                given.put(parts[0], parts[1]);
            }
        }
        return StreamSettings.of(Settings.of(SdpSettings.ALL, given, new Properties(), line -> {}));
    }

    @ParameterizedTest
    @CsvSource({
        "'', 16, 65552",
        "'buffers.count=64', 16, 65552",
        "'verbs.buffers.count=4', 4, 65552",
        "'verbs.buffers.bytes=32784', 16, 32784",
        "'buffers.bytes=100000', 16, 65552",
        "'verbs.buffers.bytes=256,verbs.buffers.count=32', 32, 256"
    })
    void whereMessagesAreWorkForADevice(String options, int buffers, int bytes) {
        StreamSettings s = settings(options).over(capabilities(false));
        assertEquals(buffers, s.qpSpec().receiveSlots());
        assertEquals(bytes, s.qpSpec().receiveBytes());
        assertSame(s, s.over(capabilities(false)));
    }

    @Test
    void elsewhereTheyAreAsTheyAre() {
        StreamSettings s = settings("");
        assertSame(s, s.over(capabilities(true)));
    }
}
