package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.WakeSignal;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.net.ServerSocket;
import java.net.Socket;

/** The other JVM of {@link VerbsSignalTest}. */
public final class Deaf {
    private static final long IGNORE = 1;

    private Deaf() {}

    @SuppressWarnings("restricted")
    public static void main(String[] args) throws Throwable {
        letTheJdkInstallIt();
        Linker linker = Linker.nativeLinker();
        long _ =
                (long)
                        linker.downcallHandle(
                                        linker.defaultLookup().findOrThrow("signal"),
                                        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG))
                                .invokeExact(WakeSignal.NUMBER, IGNORE);
        try {
            VerbsFabric.open(
                            VerbsConfig.defaults(),
                            EventLoop.start("loop", t -> System.err.println(t)))
                    .close();
            System.out.println("opened");
        } catch (FabricException e) {
            System.out.println(e.why() + " " + e.getMessage());
        }
    }

    private static void letTheJdkInstallIt() throws Exception {
        try (ServerSocket listener = new ServerSocket(0);
                Socket a = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket b = listener.accept()) {
            a.getOutputStream().write(1);
            int _ = b.getInputStream().read();
        }
    }
}
