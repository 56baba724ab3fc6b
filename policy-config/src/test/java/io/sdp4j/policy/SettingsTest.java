package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    private static final Setting FILE =
            Setting.text("sdp4j.policy", "", "file").help("A file that is read.");

    private static final Setting REPORT =
            Setting.text("sdp4j.report", "", "file").help("A file that is written.");

    private static final Setting QUIET = Setting.flag("sdp4j.quiet", false).help("Say nothing.");

    private static final Setting JMX = Setting.flag("sdp4j.jmx", true).help("Say it by JMX.");

    private static final Setting COUNT =
            Setting.number("sdp4j.buffers.count", 32, 4, 64, "buffers").help("How many.");

    private static final Setting SPIN =
            Setting.number("sdp4j.spin.max.us", 20, 0, 1_000, "us").help("How long.");

    private static final Setting SPINNERS =
            Setting.number("sdp4j.internal.spinners.max", -1, -1, 1_024, "threads")
                    .help("How many.");

    private static final Setting NATIVE =
            Setting.choice("sdp4j.internal.wait.kind", "auto, off", "auto").help("When.");

    private static final Setting ZCOPY = Setting.flagOrAuto("sdp4j.zcopy.enabled").help("Whether.");

    private static final List<Setting> ALL =
            List.of(FILE, REPORT, QUIET, JMX, COUNT, SPIN, SPINNERS, NATIVE, ZCOPY);

    private final List<String> lines = new ArrayList<>();

    private Settings read(String options, String... properties) {
        Properties p = new Properties();
        for (int i = 0; i < properties.length; i += 2) {
            p.setProperty(properties[i], properties[i + 1]);
        }
        return Settings.of(ALL, options(options), p, lines::add);
    }

    private static Map<String, String> options(String text) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String option : text.split(",", -1)) {
            String[] parts = option.split("=", 2);
            if (!option.isEmpty()) {
                options.put(parts[0], parts.length == 1 ? "" : parts[1]);
            }
        }
        return options;
    }

    @Test
    void anOptionGoesBeforeAProperty() {
        Settings settings =
                read(
                        "buffers.count=7,sdp4j.spin.max.us=0,quiet,policy=/a=b.conf",
                        "sdp4j.buffers.count",
                        "8",
                        "sdp4j.internal.spinners.max",
                        "9",
                        "sdp4j.jmx",
                        "OFF",
                        "sdp4j.internal.wait.kind",
                        "Off");
        assertEquals(7, settings.longValue(COUNT));
        assertEquals(0, settings.intValue(SPIN));
        assertEquals(9, settings.intValue(SPINNERS));
        assertTrue(settings.flag(QUIET));
        assertFalse(settings.flag(JMX));
        assertEquals("off", settings.text(NATIVE));
        assertEquals("auto", settings.text(ZCOPY));
        assertEquals("/a=b.conf", settings.text(FILE));
        assertEquals(List.of(), lines);
    }

    @ParameterizedTest
    @CsvSource({
        "buffers.count=3, 4 to 64",
        "buffers.count=65, 4 to 64",
        "buffers.count=many, 4 to 64",
        "buffers.count, 4 to 64",
        "spin.max.us=99999999999999999999, 0 to 1000",
        "internal.spinners.max=-2, -1 to 1024",
        "jmx=perhaps, 'true, false'",
        "internal.wait.kind=on, 'auto, off'",
        "zcopy.enabled=perhaps, 'auto, true, false'"
    })
    void aBadValueIsALineAndTheDefault(String option, String range) {
        Settings settings = read(option);
        Setting setting =
                ALL.stream().filter(s -> option.startsWith(s.option())).findFirst().orElseThrow();
        assertEquals(setting.defaultText(), settings.text(setting));
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains(setting.id()), lines.getFirst());
        assertTrue(lines.getFirst().contains("expected " + range), lines.getFirst());
    }

    @Test
    void aBadOptionLeavesAGoodPropertyInForce() {
        Settings settings = read("backing=1,spin.max.us=x", "sdp4j.spin.max.us", "5");
        assertEquals(5, settings.intValue(SPIN));
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
        read("spinners.max=5,zcopy.min.bytes=9", "sdp4j.wait.kind", "off");
        assertEquals(
                List.of(
                        "sdp4j: agent option 'sdp4j.spinners.max' is unknown, ignored; did you"
                                + " mean 'sdp4j.internal.spinners.max'?",
                        "sdp4j: agent option 'sdp4j.zcopy.min.bytes' is unknown, ignored",
                        "sdp4j: system property 'sdp4j.wait.kind' is unknown, ignored; did"
                                + " you mean 'sdp4j.internal.wait.kind'?"),
                lines);
    }

    @Test
    void gettersKnowTheirKind() {
        Settings settings = Settings.defaults(ALL);
        assertThrows(IllegalArgumentException.class, () -> settings.longValue(FILE));
        assertThrows(IllegalArgumentException.class, () -> settings.longValue(JMX));
        assertThrows(IllegalArgumentException.class, () -> settings.flag(SPIN));
        Settings few = Settings.defaults(List.of(JMX));
        assertThrows(IllegalArgumentException.class, () -> few.text(FILE));
    }
}
