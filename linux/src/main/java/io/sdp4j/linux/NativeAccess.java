package io.sdp4j.linux;

/**
 * Tells whether native calls may be made, without making one.
 *
 * <p>A restricted method called without permission prints the JDK's warning, or throws under {@code
 * --illegal-native-access=deny}. So nothing touches {@link Linux} before this class has said yes.
 */
public final class NativeAccess {
    private NativeAccess() {}

    /** Whether our own module was granted native access and the system calls here are known. */
    public static boolean granted() {
        return granted(NativeAccess.class.getModule());
    }

    /** As {@link #granted()}, for a module with native calls of its own. */
    public static boolean granted(Module m) {
        return m.isNativeAccessEnabled() && Linux.known();
    }

    /** Whether this module may use the JDK's {@code Unsafe}, which the agent exports. */
    static boolean unsafeExported() {
        return Object.class
                .getModule()
                .isExported("jdk.internal.misc", NativeAccess.class.getModule());
    }

    /** Why {@link #granted()} says no, or what it found; one sentence. */
    public static String explanation() {
        return explanation(NativeAccess.class.getModule());
    }

    /** Why {@link #granted(Module)} says no, or what it found; one sentence. */
    public static String explanation(Module m) {
        String name = m.isNamed() ? m.getName() : "ALL-UNNAMED";
        if (!m.isNativeAccessEnabled()) {
            return "native access is not enabled for "
                    + name
                    + "; start Java with --enable-native-access="
                    + name;
        }
        if (!Linux.known()) {
            return "system calls are known only for Linux on x86-64 and AArch64, this is "
                    + System.getProperty("os.name")
                    + " on "
                    + System.getProperty("os.arch");
        }
        return "native access is enabled for " + name;
    }
}
