package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.Task.Kind;
import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: what a listener accepts by TCP in a JVM that grants no access to its internals ends and
 * fails as sockets do, though channels stand behind it.
 */
@Timeout(60)
class PublicTcpTest implements Sockets {
    private final OffloadSwitch owner =
            new OffloadSwitch(
                    () -> Policy.everything(Decision.of(Verdict.KERNEL, "use tcp", "test:1")),
                    List.of(),
                    SwitchSettings.defaults(),
                    KernelSocketSource.PUBLIC,
                    null);

    @Override
    public Socket newSocket() throws IOException {
        return SwitchedSockets.socket(owner);
    }

    @Override
    public ServerSocket newServerSocket() {
        return SwitchedSockets.serverSocket(owner);
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aCloseEndsEveryWait(Kind kind) throws Exception {
        try (Pair<ServerSocket, Socket> p = pair()) {
            InputStream in = p.server().getInputStream();
            OutputStream out = p.server().getOutputStream();
            Task<Integer> reader = Task.start(kind, in::read);
            reader.awaitBlocked();
            Task<Socket> acceptor = Task.start(kind, p.listener()::accept);
            acceptor.awaitBlocked();
            p.server().close();
            p.listener().close();
            Expect.is(SocketException.class, "Socket closed", reader.thrown());
            Expect.is(SocketException.class, "Socket closed", acceptor.thrown());
            Expect.thrown(SocketException.class, "Socket closed", in::read);
            Expect.thrown(SocketException.class, "Socket closed", in::available);
            Expect.thrown(SocketException.class, "Socket closed", () -> out.write(1));
        }
    }

    @Test
    @DisplayName("14: an end stays after a close")
    void anEndStays() throws Exception {
        try (Pair<ServerSocket, Socket> p = pair()) {
            InputStream in = p.server().getInputStream();
            p.client().close();
            assertEquals(-1, in.read());
            p.server().close();
            assertEquals(-1, in.read());
        }
    }

    @Test
    void writesOfNoUseBreak() throws Exception {
        try (Pair<ServerSocket, Socket> p = pair()) {
            OutputStream out = p.server().getOutputStream();
            p.server().shutdownOutput();
            Expect.thrown(SocketException.class, "Broken pipe", () -> out.write(1));
        }
        try (Pair<ServerSocket, Socket> p = pair()) {
            OutputStream out = p.server().getOutputStream();
            p.client().close();
            Task<Void> writer =
                    Task.start(
                            () -> {
                                while (true) { // until the peer has answered
                                    out.write(1);
                                }
                            });
            Expect.is(SocketException.class, "Broken pipe", writer.thrown());
        }
    }

    @Test
    void anInterruptClosesTheSocketOfAVirtualThread() throws Exception {
        try (Pair<ServerSocket, Socket> p = pair()) {
            Task<Integer> reader = Task.start(Kind.VIRTUAL, p.server().getInputStream()::read);
            reader.awaitBlocked();
            reader.thread().interrupt();
            Expect.is(SocketException.class, "Closed by interrupt", reader.thrown());
            assertTrue(p.server().isClosed());
        }
    }
}
