package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.shm.ShmSettings;
import io.sdp4j.fabric.verbs.VerbsSettings;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.policy.PolicySettings;
import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import io.sdp4j.stream.SdpSettings;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Goal: what the modules declare fits together. */
class AgentSettingsTest {
    private static final int MOST_DOCUMENTED = 30;

    static final List<Setting> ALL = AgentSettings.ALL;

    @ParameterizedTest
    @FieldSource("ALL")
    void everyDefaultIsAcceptable(Setting setting) {
        List<String> lines = new ArrayList<>();
        Map<String, String> given = Map.of(setting.option(), setting.defaultText());
        Settings settings = Settings.of(ALL, given, new Properties(), lines::add);
        assertEquals(setting.defaultText(), settings.text(setting));
        assertEquals(List.of(), lines);
        assertTrue(setting.id().matches("sdp4j(\\.[a-z]+)+"), setting.id());
        assertEquals(setting.id(), "sdp4j." + setting.option());
        assertTrue(setting.help().endsWith("."), setting.help());
    }

    @Test
    void idsAreDifferent() {
        Set<String> ids = new HashSet<>();
        for (Setting setting : ALL) {
            assertTrue(ids.add(setting.id()), setting.id());
        }
    }

    @Test
    void everyDeclarationIsOnTheList() throws IllegalAccessException {
        Set<Object> declared = new HashSet<>();
        for (Class<?> module :
                List.of(
                        PolicySettings.class,
                        SwitchSettings.class,
                        ShmSettings.class,
                        VerbsSettings.class,
                        SdpSettings.class,
                        AgentSettings.class)) {
            for (Field field : module.getDeclaredFields()) {
                if (field.getType() == Setting.class) {
                    declared.add(field.get(null));
                }
            }
        }
        assertEquals(declared, Set.copyOf(ALL));
    }

    /** A program may use the API without the agent, or both. */
    @Test
    void aProviderDoesNotAskForSettingsOfTheAgent() {
        Properties properties = new Properties();
        ALL.forEach(setting -> properties.setProperty(setting.id(), setting.defaultText()));
        List<String> lines = new ArrayList<>();
        Settings.of(SdpSettings.ALL, Map.of(), properties, lines::add);
        assertEquals(List.of(), lines);
    }

    @Test
    void operatorsHaveFewToDecideAbout() {
        long documented = ALL.stream().filter(s -> !s.id().startsWith("sdp4j.internal.")).count();
        assertTrue(documented <= MOST_DOCUMENTED);
    }
}
