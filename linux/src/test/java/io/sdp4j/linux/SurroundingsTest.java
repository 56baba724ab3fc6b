package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.testing.JvmCommand;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the kernel's answers are right in mounts and networks that are not the usual ones. */
@Timeout(60)
final class SurroundingsTest {
    @TempDir Path folder;

    private static List<String> said(List<String> under, Class<?> main, String... arguments)
            throws Exception {
        List<String> look = Stream.concat(under.stream(), Stream.of("true")).toList();
        assumeTrue(new ProcessBuilder(look).start().waitFor() == 0, "cannot make namespaces");
        Process java =
                JvmCommand.of(main, arguments)
                        .under(under)
                        .options("--enable-native-access=ALL-UNNAMED")
                        .classPath("target/classes:target/test-classes")
                        .small()
                        .builder()
                        .redirectErrorStream(true)
                        .start();
        try (var out = java.inputReader()) {
            return out.readAllLines();
        } finally {
            java.destroyForcibly();
        }
    }

    /** As a service has it with {@code ProcSubset=pid}. */
    @Test
    void onlyProcessesAreInProc() throws Exception {
        String mounts =
                "mount -t proc -o subset=pid proc /proc && mount -t tmpfs -o ro none \"$0\""
                        + " && exec \"$@\"";
        String readOnly = folder.toString();
        List<String> under = List.of("unshare", "--mount", "sh", "-c", mounts, readOnly);
        assertEquals(
                List.of("owner found", "no machine code", "read-only file system"),
                said(under, InHiddenProc.class, readOnly + "/directory"));
    }

    static final class InHiddenProc {
        private InHiddenProc() {}

        public static void main(String[] args) throws Exception {
            try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                long uid =
                        PortOwner.read((InetSocketAddress) listener.getLocalSocketAddress()).uid();
                boolean found = uid == Integer.toUnsignedLong(Linux.effectiveUid());
                System.out.println(found ? "owner found" : "owner " + uid);
            }
            boolean code = NonTemporal.available();
            for (Thread t : Thread.getAllStackTraces().keySet()) {
                if (t.getName().startsWith("sdp4j")) {
                    t.join(TimeUnit.SECONDS.toMillis(30));
                }
            }
            code |= NonTemporal.available();
            System.out.println(code ? "machine code" : "no machine code");
            System.out.println(Linux.text(DirectoryFd.make(null, args[0])));
        }
    }

    @Test
    void theOwnerOfALinkLocalPortIsFound() throws Exception {
        String network =
                "ip link set lo up && ip -6 address add fe80::1/64 dev lo nodad && exec \"$@\"";
        assertEquals(
                List.of("listener true", "connection true true"),
                said(List.of("unshare", "--net", "sh", "-c", network, "-"), LinkLocal.class));
    }

    static final class LinkLocal {
        private LinkLocal() {}

        public static void main(String[] args) throws Exception {
            try (ServerSocket listener =
                            new ServerSocket(0, 1, InetAddress.getByName("fe80::1%lo"));
                    Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                    Socket accepted = listener.accept()) {
                InetSocketAddress at = (InetSocketAddress) client.getRemoteSocketAddress();
                InetSocketAddress from = (InetSocketAddress) accepted.getRemoteSocketAddress();
                long uid = Integer.toUnsignedLong(Linux.effectiveUid());
                System.out.println("listener " + (PortOwner.listener(at).uid() == uid));
                boolean there = PortOwner.connected(at, from) > 0;
                boolean back = PortOwner.connected(from, at) > 0;
                System.out.println("connection " + there + " " + back);
            }
        }
    }

    @Test
    void anUnknownFamilyIsTold() {
        int unknown = 999;
        assertEquals(
                "address family not supported",
                Linux.text(Linux.call(Linux.SOCKET, unknown, 1, 0)));
    }
}
