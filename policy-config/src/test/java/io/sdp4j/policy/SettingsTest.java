package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SettingsTest {
    private static final int MOST_DOCUMENTED = 30;

    private final List<String> lines = new ArrayList<>();

    private Settings read(String options, String... properties) {
        Properties p = new Properties();
        for (int i = 0; i < properties.length; i += 2) {
            p.setProperty(properties[i], properties[i + 1]);
        }
        return Settings.of(Settings.agentOptions(options), p, lines::add);
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void everyDefaultIsAcceptable(Setting setting) {
        assertEquals(setting.defaultText(), setting.accepted(setting.defaultText()));
        assertTrue(setting.id().matches("sdp4j(\\.[a-z]+)+"), setting.id());
        assertEquals(setting.id(), "sdp4j." + setting.option());
        assertTrue(setting.help().endsWith("."), setting.help());
    }

    @Test
    void idsAreDifferent() {
        Set<String> ids = new HashSet<>();
        for (Setting setting : Setting.values()) {
            assertTrue(ids.add(setting.id()), setting.id());
        }
    }

    @Test
    void anOptionGoesBeforeAProperty() {
        Settings settings =
                read(
                        "connect.timeout.ms=7,sdp4j.spin.max.us=0, quiet ,policy=/a=b.conf",
                        "sdp4j.connect.timeout.ms",
                        "8",
                        "sdp4j.internal.close.timeout.s",
                        "9",
                        "sdp4j.jmx",
                        "OFF",
                        "sdp4j.internal.shm.native",
                        "Off");
        assertEquals(7, settings.longValue(Setting.CONNECT_TIMEOUT_MS));
        assertEquals(0, settings.intValue(Setting.SPIN_MAX_US));
        assertEquals(9, settings.intValue(Setting.CLOSE_TIMEOUT_S));
        assertTrue(settings.flag(Setting.QUIET));
        assertFalse(settings.flag(Setting.JMX));
        assertEquals("off", settings.text(Setting.SHM_NATIVE));
        assertEquals("/a=b.conf", settings.text(Setting.POLICY));
        assertEquals(262_160, settings.intValue(Setting.BUFFERS_BYTES));
        assertEquals(List.of(), lines);
    }

    @ParameterizedTest
    @CsvSource({
        "buffers.count=3, BUFFERS_COUNT, 4 to 64",
        "buffers.count=65, BUFFERS_COUNT, 4 to 64",
        "buffers.count=many, BUFFERS_COUNT, 4 to 64",
        "buffers.count, BUFFERS_COUNT, 4 to 64",
        "buffers.bytes=99999999999999999999, BUFFERS_BYTES, 256 to 1048576",
        "internal.spin.spinners.max=-2, SPIN_SPINNERS_MAX, -1 to 1024",
        "jmx=perhaps, JMX, 'true, false'",
        "internal.shm.native=on, SHM_NATIVE, 'auto, off'",
        "zcopy.enabled=perhaps, ZCOPY_ENABLED, 'auto, true, false'"
    })
    void aBadValueIsALineAndTheDefault(String option, Setting setting, String range) {
        Settings settings = read(option);
        assertEquals(setting.defaultText(), settings.text(setting));
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains(setting.id()), lines.getFirst());
        assertTrue(lines.getFirst().contains("expected " + range), lines.getFirst());
    }

    @Test
    void aBadOptionLeavesAGoodPropertyInForce() {
        Settings settings = read("backing=1,spin.max.us=x", "sdp4j.spin.max.us", "5");
        assertEquals(5, settings.intValue(Setting.SPIN_MAX_US));
        assertEquals(2, lines.size());
        assertEquals("sdp4j: agent option 'sdp4j.backing' is unknown, ignored", lines.get(1));
    }

    @Test
    void aMistypedOptionIsAskedFor() {
        read("polcy=f");
        assertEquals(
                List.of(
                        "sdp4j: agent option 'sdp4j.polcy' is unknown, ignored; did you mean"
                                + " 'sdp4j.policy'?"),
                lines);
    }

    /** A name near none may belong to other software. */
    @Test
    void aMistypedPropertyIsAskedFor() {
        read("", "sdp4j.reprot", "f", "sdp4j.home", "/", "sdp4j.some.test", "1");
        assertEquals(
                List.of(
                        "sdp4j: system property 'sdp4j.reprot' is unknown, ignored; did you mean"
                                + " 'sdp4j.report'?"),
                lines);
    }

    /** Also that of an internal setting without the word. */
    @Test
    void aNameWithoutInternalIsAskedFor() {
        read("close.grace.ms=5,zcopy.min.bytes=9", "sdp4j.sleep.together", "false");
        assertEquals(
                List.of(
                        "sdp4j: agent option 'sdp4j.close.grace.ms' is unknown, ignored; did you"
                                + " mean 'sdp4j.internal.close.grace.ms'?",
                        "sdp4j: agent option 'sdp4j.zcopy.min.bytes' is unknown, ignored",
                        "sdp4j: system property 'sdp4j.sleep.together' is unknown, ignored; did"
                                + " you mean 'sdp4j.internal.sleep.together'?"),
                lines);
    }

    @Test
    void operatorsHaveFewToDecideAbout() {
        assertTrue(
                Stream.of(Setting.values()).filter(s -> !s.isInternal()).count()
                        <= MOST_DOCUMENTED);
    }

    @Test
    void gettersKnowTheirKind() {
        Settings settings = Settings.defaults();
        assertThrows(IllegalArgumentException.class, () -> settings.longValue(Setting.POLICY));
        assertThrows(IllegalArgumentException.class, () -> settings.longValue(Setting.JMX));
        assertThrows(IllegalArgumentException.class, () -> settings.flag(Setting.SPIN_MAX_US));
        assertEquals(Map.of(), Settings.agentOptions(null));
        assertEquals(Map.of(), Settings.agentOptions(" ,, "));
    }

    @Test
    void theTablesHaveARowPerSetting() {
        List<String> rows = new ArrayList<>(Settings.markdown(false).lines().toList());
        rows.addAll(Settings.markdown(true).lines().toList());
        assertEquals(Setting.values().length + 4, rows.size());
        assertEquals(
                "| `sdp4j.connect.timeout.ms` | `1000` | 1 to 60000 | ms |"
                        + " Longest time an offload attempt may take before kernel TCP is used. |",
                rows.stream().filter(r -> r.contains("connect.timeout")).findFirst().orElseThrow());
        for (String row : rows) {
            assertEquals(6, row.chars().filter(c -> c == '|').count(), row);
        }
    }
}
