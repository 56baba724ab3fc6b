package io.sdp4j.agent;

import io.sdp4j.offload.jdk.JdkBridge;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Grants native access to the modules that make native calls, unless the user forbade it.
 *
 * <p>By default the JDK warns at the first native call of a module that is not named on the command
 * line; this grant has the effect of naming ours. Under {@code --illegal-native-access=deny} the
 * user allows native calls only to modules named on the command line. That is respected: nothing is
 * offloaded then.
 */
final class NativeGrant {
    /** A class of each module that makes native calls. */
    private static final List<String> NATIVE_MODULES =
            List.of("io.sdp4j.linux.Linux", "io.sdp4j.fabric.verbs.VerbsSettings");

    private NativeGrant() {}

    /**
     * @return whether the sink was told that nothing is offloaded
     */
    static boolean apply(Consumer<String> sink) {
        ClassLoader loader = NativeGrant.class.getClassLoader();
        List<Module> wanting = new ArrayList<>();
        for (String name : NATIVE_MODULES) {
            Module module = moduleOf(name, loader);
            if (module.isNamed() && !module.isNativeAccessEnabled()) {
                wanting.add(module);
            }
        }
        if (wanting.isEmpty()) {
            return false;
        }
        if (denied()) {
            sink.accept(
                    "native access is denied on the command line, so nothing is offloaded; start"
                            + " Java without --illegal-native-access=deny");
            return true;
        }
        try {
            for (Module module : wanting) {
                JdkBridge.enableNativeAccess(module);
            }
            return false;
        } catch (IllegalStateException e) {
            sink.accept("no native access (" + e.getMessage() + "), so nothing is offloaded");
            return true;
        }
    }

    private static Module moduleOf(String type, ClassLoader loader) {
        try {
            return Class.forName(type, false, loader).getModule();
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Whether the command line says {@code deny}. The JDK removes the property that carries the
     * answer, so its own reader is asked; if that fails, the answer is yes.
     */
    private static boolean denied() {
        try {
            Object policy =
                    Class.forName("jdk.internal.module.ModuleBootstrap")
                            .getMethod("illegalNativeAccess")
                            .invoke(null);
            return String.valueOf(policy).equals("DENY");
        } catch (ReflectiveOperationException | RuntimeException e) {
            return true;
        }
    }
}
