package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.AcceptedSockets;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.RequestHandler;
import io.sdp4j.fabric.shm.attack.Attacker;
import io.sdp4j.testing.JvmCommand;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A fabric that is configured as by default, and attackers, which are processes of their own. */
abstract class AttackedFabric extends ShmDirectory {
    /** Begins a command in another network namespace. */
    static final List<String> OTHER_NETWORK =
            List.of("unshare", "-n", "sh", "-c", "ip link set lo up; exec \"$@\"", "-");

    ServerSocket kernel;
    ShmFabric fabric;
    InetSocketAddress at;
    final List<QueuePair> accepted = Collections.synchronizedList(new ArrayList<>());
    final List<String> refused = Collections.synchronizedList(new ArrayList<>());
    final List<Process> children = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        at = (InetSocketAddress) kernel.getLocalSocketAddress();
        fabric = ShmFabric.open(ShmConfig.defaults().withDirectory(dir), Ends.loop());
    }

    @AfterEach
    void shut() throws Exception {
        for (Process p : children) {
            p.destroyForcibly().waitFor();
        }
        accepted.forEach(QueuePair::close);
        fabric.close();
        kernel.close();
    }

    static boolean ownNetwork() throws Exception {
        return new ProcessBuilder("unshare", "-n", "true").start().waitFor() == 0;
    }

    void listen(AcceptedSockets moving) throws IOException {
        fabric.listen(
                new ListenRequest(
                        at,
                        false,
                        new RequestHandler() {
                            @Override
                            public void onRequest(ConnectionRequest r) {
                                Taker taker = new Taker(accepted::add, failure -> {});
                                r.accept(SPEC, new byte[0], taker);
                            }

                            @Override
                            public void onRefused(String peer, String why) {
                                refused.add(peer + ": " + why);
                            }
                        },
                        moving));
    }

    BufferedReader attack(List<String> before, String... arguments) throws IOException {
        Process p =
                JvmCommand.of(Attacker.class, arguments)
                        .under(before)
                        .options("--enable-native-access=ALL-UNNAMED")
                        .small()
                        .classPath(attackerPath())
                        .builder()
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        children.add(p);
        return p.inputReader();
    }

    /** The tests' classes alone. */
    private static String attackerPath() {
        String resource = "/" + Attacker.class.getName().replace('.', '/') + ".class";
        String url = String.valueOf(Attacker.class.getResource(resource));
        return new File(url.substring("file:".length(), url.length() - resource.length()))
                .toString();
    }

    Path name() throws IOException {
        return Ends.meeting(dir).resolve(fabric.rendezvous.exactName(at));
    }

    String attackListener(List<String> before, String what) throws IOException {
        listen(AcceptedSockets.NONE);
        return attack(before, what, name().toString(), String.valueOf(at.getPort())).readLine();
    }
}
