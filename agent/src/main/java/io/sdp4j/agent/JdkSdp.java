package io.sdp4j.agent;

import java.lang.reflect.Field;
import java.util.List;

/**
 * Empties the rules of the JDK's own SDP switch, if that was initialised before the agent.
 *
 * <p>Needs {@code sun.net} and {@code sun.net.sdp} opened to this module. Source:
 * docs/jdk-contract.md 7.1.
 */
public final class JdkSdp {
    private JdkSdp() {}

    public static void clear() throws ReflectiveOperationException {
        Field provider = Class.forName("sun.net.NetHooks").getDeclaredField("provider");
        provider.setAccessible(true);
        Object installed = provider.get(null);
        Field list = installed.getClass().getDeclaredField("rules");
        list.setAccessible(true);
        List<?> rules = (List<?>) list.get(installed);
        if (rules != null) {
            rules.clear();
        }
    }
}
