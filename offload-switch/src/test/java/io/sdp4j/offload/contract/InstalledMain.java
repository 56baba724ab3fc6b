package io.sdp4j.offload.contract;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.net.SwitchSocketFactory;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.RuleFile;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnknownHostException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** The checks of {@link InstalledTest}, one scenario per JVM. */
final class InstalledMain {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private InstalledMain() {}

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "everyWayIn" -> everyWayIn();
            case "implAccept" -> implAccept();
            case "tls" -> tls();
            case "http" -> http();
            case "kernelScope" -> kernelScope();
            case "socks" -> socks();
            case "socksAndOnlyOffload" -> socksAndOnlyOffload();
            case "proxyInDoubt" -> proxyInDoubt();
            case "selector" -> selector();
            case "noAccess" -> noAccess();
            case "garbage" -> garbage();
            case "twoCopies" -> twoCopies();
            case "commonPool" -> commonPool();
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println("done: " + args[0]);
    }

    /** As where an application brings the switch along, beside the agent. */
    private static void twoCopies() throws Exception {
        List<URL> places = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(":", -1)) {
            places.add(Path.of(place).toUri().toURL());
        }
        for (int copy = 0; copy < 2; copy++) {
            try (URLClassLoader loader =
                    new URLClassLoader(
                            places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
                Class<?> bridge = loader.loadClass("io.sdp4j.offload.jdk.JdkBridge");
                Object problem = bridge.getMethod("selfTest").invoke(null);
                check(problem.equals(Optional.empty()), problem);
                Class<?> kernel = loader.loadClass("io.sdp4j.offload.jdk.KernelSocket");
                Object made = kernel.getMethod("server").invoke(null);
                check(made != null, "no listener");
            }
        }
    }

    private static void check(boolean good, Object what) {
        if (!good) {
            throw new AssertionError(what);
        }
    }

    private static OffloadSwitch installed(LoopbackProvider provider) throws IOException {
        OffloadSwitch target =
                new OffloadSwitch(Policy::allowAll, List.of(provider), SwitchSettings.defaults());
        install(target);
        return target;
    }

    /** Puts a switch behind the sockets of this JVM. */
    @SuppressWarnings("deprecation") // the factories are the only hook, and not to be removed
    private static void install(OffloadSwitch target) throws IOException {
        check(JdkBridge.selfTest().isEmpty(), JdkBridge.selfTest());
        ServerSocket.setSocketFactory(new SwitchSocketFactory(target, true));
        Socket.setSocketImplFactory(new SwitchSocketFactory(target, false));
    }

    private static ReasonCode why(Socket s) {
        return SwitchedSockets.explain(s).orElseThrow().reason();
    }

    /** Every constructor and factory reaches the switch. */
    private static void everyWayIn() throws Exception {
        OffloadSwitch target = installed(new LoopbackProvider());
        try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK)) {
            int port = listener.getLocalPort();
            try (Socket a = new Socket("localhost", port);
                    Socket b = new Socket(LOOPBACK, port, LOOPBACK, 0);
                    Socket c = new Socket(Proxy.NO_PROXY);
                    Socket d = javax.net.SocketFactory.getDefault().createSocket(LOOPBACK, port);
                    Socket tunnel =
                            new Socket(
                                    new Proxy(
                                            Proxy.Type.HTTP,
                                            new InetSocketAddress(LOOPBACK, port)))) {
                c.connect(listener.getLocalSocketAddress(), 1000);
                for (Socket s : new Socket[] {a, b, d, c}) {
                    check(why(s) == ReasonCode.OFFLOADED, why(s));
                    try (Socket accepted = listener.accept()) {
                        check(why(accepted) == ReasonCode.OFFLOADED, why(accepted));
                        check(s.getLocalPort() == accepted.getPort(), accepted);
                    }
                }
                check(SwitchedSockets.explain(tunnel).isEmpty(), "a proxy socket is the JDK's own");
            }
        }
        check(target.report().offloaded().equals(java.util.Map.of("loop", 4L)), target.report());
    }

    /**
     * Behaviour 30: a socket that is accepted into keeps its SO_TIMEOUT and nothing else; and what
     * differs from the JDK with one that is closed, or has a proxy.
     */
    private static void implAccept() throws Exception {
        installed(new LoopbackProvider());
        class Accepting extends ServerSocket {
            Accepting() throws IOException {
                super(0, 50, LOOPBACK);
            }

            void into(Socket s) throws IOException {
                implAccept(s);
            }
        }
        for (boolean kernel : new boolean[] {false, true}) {
            try (Accepting listener = new Accepting();
                    Socket client = kernel ? KernelSockets.call(Socket::new) : new Socket();
                    Socket s = new Socket()) {
                s.setSoTimeout(99);
                s.setTcpNoDelay(true);
                client.connect(listener.getLocalSocketAddress());
                listener.into(s);
                check(s.isConnected(), s);
                check(s.getSoTimeout() == 99, s.getSoTimeout());
                check(!s.getTcpNoDelay(), "an option survived");
                check(s.getPort() == client.getLocalPort(), s);
                client.getOutputStream().write(7);
                check(s.getInputStream().read() == 7, "no data");
                try {
                    s.getInputStream().read();
                    throw new AssertionError("no time-out");
                } catch (java.net.SocketTimeoutException expected) {
                    check(expected.getMessage().equals("Read timed out"), expected);
                }
            }
        }
        Socket closed = new Socket();
        closed.close();
        try (Accepting listener = new Accepting();
                Socket client = new Socket()) {
            client.connect(listener.getLocalSocketAddress());
            listener.into(closed); // the JDK's throws
            client.setSoTimeout(100);
            try {
                check(false, "the end is here: " + client.getInputStream().read());
            } catch (java.net.SocketTimeoutException expected) {
                // the connection is open
            }
        }
        InetSocketAddress nowhere = new InetSocketAddress(LOOPBACK, 1);
        for (Proxy.Type type : List.of(Proxy.Type.SOCKS, Proxy.Type.HTTP)) {
            try (Accepting listener = new Accepting();
                    Socket client = new Socket();
                    Socket proxied = new Socket(new Proxy(type, nowhere))) {
                client.connect(listener.getLocalSocketAddress());
                listener.into(proxied);
                check(false, "accepted into a socket with a proxy");
            } catch (IOException e) {
                check(e.getMessage().startsWith("An instance of "), e);
                check(e.getMessage().contains(" cannot accept a connection with "), e);
            }
        }
    }

    /** A program may want the common pool to have no thread: it stays so. */
    private static void commonPool() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        OffloadProvider alone =
                new UnaskedProvider() {
                    @Override
                    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
                        asked.incrementAndGet();
                        throw new OffloadUnavailable(ReasonCode.NO_PEER, "no peer");
                    }
                };
        OffloadSwitch moves =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(alone)),
                        Patience.SETTINGS.withUpgrade(UpgradePolicy.AT_CONNECT));
        try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK);
                Socket client = SwitchedSockets.socket(moves)) {
            client.connect(listener.getLocalSocketAddress());
            for (int i = 0; i < 2000 && asked.get() < 2; i++) {
                Thread.sleep(10);
            }
            check(asked.get() > 1, "asked " + asked);
        }
        check(ForkJoinPool.getCommonPoolParallelism() == 1, "a move has changed it");
        OffloadSwitch offloads =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new LoopbackProvider()),
                        SwitchSettings.defaults());
        SwitchAsynchronousChannelProvider channels =
                new SwitchAsynchronousChannelProvider(offloads);
        try (AsynchronousServerSocketChannel listener =
                        channels.openAsynchronousServerSocketChannel(null)
                                .bind(new InetSocketAddress(LOOPBACK, 0));
                AsynchronousSocketChannel client = channels.openAsynchronousSocketChannel(null)) {
            Future<AsynchronousSocketChannel> accepted = listener.accept();
            client.connect(listener.getLocalAddress()).get();
            accepted.get().close();
        }
        check(offloads.report().offloaded().size() == 1, offloads.report());
        check(ForkJoinPool.getCommonPoolParallelism() == 1, "a future has changed it");
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            check(!t.getName().contains("delayScheduler"), t);
        }
    }

    /** Unlayered TLS, client and server, offloaded. */
    private static void tls() throws Exception {
        OffloadSwitch target = installed(new LoopbackProvider());
        SSLContext context = Tls.context();
        byte[] sent = Expect.bytes(4 << 20, 5);
        try (SSLServerSocket listener =
                (SSLServerSocket)
                        context.getServerSocketFactory().createServerSocket(0, 50, LOOPBACK)) {
            listener.setNeedClientAuth(true);
            Task<byte[]> server =
                    Task.start(
                            () -> {
                                try (Socket s = listener.accept()) {
                                    byte[] got = s.getInputStream().readNBytes(sent.length);
                                    s.getOutputStream().write(got);
                                    check(s.getInputStream().read() == -1, "not closed");
                                    return got;
                                }
                            });
            try (SSLSocket c =
                    (SSLSocket)
                            context.getSocketFactory()
                                    .createSocket("localhost", listener.getLocalPort())) {
                c.setSoTimeout(30_000);
                c.getOutputStream().write(sent);
                check(
                        java.util.Arrays.equals(sent, c.getInputStream().readNBytes(sent.length)),
                        "bytes differ");
                c.shutdownOutput();
                check(java.util.Arrays.equals(sent, server.get()), "bytes differ");
            }
        }
        check(target.report().offloaded().equals(java.util.Map.of("loop", 1L)), target.report());
    }

    /** {@code HttpURLConnection} with keep-alive. */
    private static void http() throws Exception {
        OffloadSwitch target = installed(new LoopbackProvider());
        try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK)) {
            Task<Void> server = Task.start(() -> serveHttp(listener, 5));
            for (int i = 0; i < 5; i++) {
                URI uri = URI.create("http://localhost:" + listener.getLocalPort() + "/" + i);
                HttpURLConnection http = (HttpURLConnection) uri.toURL().openConnection();
                try (InputStream in = http.getInputStream()) {
                    String body = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
                    check(body.equals("hello"), body);
                }
            }
            server.get();
        }
        check(target.report().offloaded().equals(java.util.Map.of("loop", 1L)), target.report());
    }

    private static Void serveHttp(ServerSocket listener, int requests) throws IOException {
        try (Socket s = listener.accept()) {
            for (int i = 0; i < requests; i++) {
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    head.append((char) s.getInputStream().read());
                }
                s.getOutputStream()
                        .write(
                                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
                                        .getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return null;
    }

    /** Sockets made in a kernel scope stay on the kernel. */
    private static void kernelScope() throws Exception {
        installed(new LoopbackProvider());
        try (ServerSocket offering = new ServerSocket(0, 50, LOOPBACK);
                ServerSocket plain = KernelSockets.call(() -> new ServerSocket(0, 50, LOOPBACK));
                Socket scoped = KernelSockets.call(Socket::new);
                Socket free = new Socket();
                Socket toPlain = new Socket()) {
            check(!KernelSockets.active(), "left active");
            scoped.connect(offering.getLocalSocketAddress());
            check(why(scoped) == ReasonCode.KERNEL_SCOPE, why(scoped));
            try (Socket s = offering.accept()) {
                check(why(s) == ReasonCode.ACCEPTED_TCP, why(s));
            }
            free.connect(offering.getLocalSocketAddress());
            check(why(free) == ReasonCode.OFFLOADED, why(free));
            offering.accept().close();
            toPlain.connect(plain.getLocalSocketAddress());
            check(why(toPlain) == ReasonCode.NO_PEER, why(toPlain));
            try (Socket s = plain.accept()) {
                check(why(s) == ReasonCode.KERNEL_SCOPE, why(s));
            }
        }
    }

    /** Behaviour 31: {@code socksProxyHost} holds for new Socket(), not for NO_PROXY. */
    private static void socks() throws Exception {
        AtomicInteger proxied = new AtomicInteger();
        try (ServerSocket proxy = new ServerSocket(0, 50, LOOPBACK)) {
            Thread.ofPlatform().daemon().start(() -> serveSocks(proxy, proxied));
            System.setProperty("socksProxyHost", "127.0.0.1");
            System.setProperty("socksProxyPort", "" + proxy.getLocalPort());
            System.setProperty("socksNonProxyHosts", ""); // else loopback is exempt
            installed(new LoopbackProvider());
            try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK);
                    Socket through = new Socket();
                    Socket direct = new Socket(Proxy.NO_PROXY)) {
                through.connect(listener.getLocalSocketAddress());
                check(through.getInputStream().read() == 42, "not the proxy");
                check(why(through) == ReasonCode.PROXY, why(through));
                check(through.getPort() == listener.getLocalPort(), through);
                direct.connect(listener.getLocalSocketAddress());
                check(why(direct) == ReasonCode.OFFLOADED, why(direct));
                check(proxied.get() == 1, proxied);
            }
        }
    }

    /** A failure of the selector ends no socket, and a socket without proxies does not ask it. */
    private static void selector() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        AtomicBoolean fails = new AtomicBoolean(true);
        ProxySelector.setDefault(
                new ProxySelector() {
                    @Override
                    public List<Proxy> select(URI uri) {
                        asked.incrementAndGet();
                        if (fails.get()) {
                            throw new IllegalStateException("fails");
                        }
                        return List.of(Proxy.NO_PROXY);
                    }

                    @Override
                    public void connectFailed(URI uri, SocketAddress to, IOException e) {}
                });
        installed(new LoopbackProvider());
        try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK);
                Socket socket = new Socket();
                Socket direct = new Socket(Proxy.NO_PROXY)) {
            try {
                socket.connect(listener.getLocalSocketAddress());
                throw new AssertionError("connected");
            } catch (IllegalStateException e) {
                check(e.getMessage().equals("fails"), e);
            }
            fails.set(false);
            socket.connect(listener.getLocalSocketAddress());
            check(why(socket) == ReasonCode.OFFLOADED, why(socket));
            int before = asked.get();
            try {
                direct.connect(InetSocketAddress.createUnresolved("no.such.host.invalid", 1));
                throw new AssertionError("connected");
            } catch (UnknownHostException e) {
                check(asked.get() == before, asked);
            }
        }
    }

    /** A rule that allows nothing but offload holds for a proxy, and for what it would reach. */
    private static void socksAndOnlyOffload() throws Exception {
        AtomicInteger proxied = new AtomicInteger();
        try (ServerSocket proxy = new ServerSocket(0, 50, LOOPBACK);
                ServerSocket listener = new ServerSocket(0, 50, LOOPBACK)) {
            Thread.ofPlatform().daemon().start(() -> serveSocks(proxy, proxied));
            System.setProperty("socksProxyHost", "127.0.0.1");
            System.setProperty("socksProxyPort", "" + proxy.getLocalPort());
            System.setProperty("socksNonProxyHosts", ""); // else loopback is exempt
            AtomicInteger only = new AtomicInteger(proxy.getLocalPort());
            Supplier<Policy> rules =
                    () ->
                            RuleFile.parse(
                                            "f",
                                            "use sdp connect * 127.0.0.1:" + only,
                                            name -> List.of())
                                    .policy("p");
            OffloadSwitch target =
                    new OffloadSwitch(
                            rules, List.of(new LoopbackProvider()), SwitchSettings.defaults());
            install(target);
            refusedByRule(listener.getLocalSocketAddress());
            only.set(listener.getLocalPort());
            refusedByRule(listener.getLocalSocketAddress());
            check(target.report().refused() == 2, target.report());
            only.set(1);
            try (Socket through = new Socket()) {
                through.connect(listener.getLocalSocketAddress());
                check(through.getInputStream().read() == 42, "not the proxy");
            }
            check(proxied.get() == 1, proxied);
        }
    }

    /**
     * No URI names the destination, so the JDK alone knows the proxy: no other name is resolved.
     */
    private static void proxyInDoubt() throws Exception {
        AtomicInteger proxied = new AtomicInteger();
        try (ServerSocket proxy = new ServerSocket(0, 50, LOOPBACK)) {
            Thread.ofPlatform().daemon().start(() -> serveSocks(proxy, proxied));
            System.setProperty("socksProxyHost", "127.0.0.1");
            System.setProperty("socksProxyPort", "" + proxy.getLocalPort());
            Supplier<Policy> rules =
                    () ->
                            RuleFile.parse("f", "use sdp connect * 127.0.0.9:*", name -> List.of())
                                    .policy("p");
            install(
                    new OffloadSwitch(
                            rules, List.of(new LoopbackProvider()), SwitchSettings.defaults()));
            InetAddress standIn = InetAddress.getAllByName("unknown")[0];
            check(standIn.getHostAddress().equals("127.0.0.9"), standIn);
            try (Socket through = new Socket()) {
                through.connect(InetSocketAddress.createUnresolved("a b", 80));
                check(through.getInputStream().read() == 42, "not the proxy");
            }
        }
    }

    private static void refusedByRule(SocketAddress target) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(target);
            check(false, "connected by way of the proxy");
        } catch (ConnectException refused) {
            check(refused.getMessage().contains("SOCKS proxy"), refused);
        }
    }

    /** Just enough SOCKS 5: says yes to everything and sends 42. */
    private static void serveSocks(ServerSocket proxy, AtomicInteger proxied) {
        try {
            while (true) {
                try (Socket s = proxy.accept()) {
                    InputStream in = s.getInputStream();
                    in.readNBytes(in.readNBytes(2)[1]);
                    s.getOutputStream().write(new byte[] {5, 0});
                    in.readNBytes(10);
                    proxied.incrementAndGet();
                    s.getOutputStream().write(new byte[] {5, 0, 0, 1, 127, 0, 0, 1, 0, 9, 42});
                    in.read();
                }
            }
        } catch (IOException e) {
            // the scenario is over
        }
    }

    /** Without access to the JDK's internals that is said, and sockets work. */
    private static void noAccess() throws Exception {
        String problem = JdkBridge.selfTest().orElse("");
        check(problem.contains("java.net"), problem);
        try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK);
                Socket c = new Socket(LOOPBACK, listener.getLocalPort());
                Socket s = listener.accept()) {
            c.getOutputStream().write(1);
            check(s.getInputStream().read() == 1, "no data");
        }
    }

    /** Sockets that are not closed give their streams back when they are garbage. */
    private static void garbage() throws Exception {
        LoopbackProvider provider = new LoopbackProvider();
        installed(provider);
        ServerSocket listener = new ServerSocket(0, 50, LOOPBACK);
        for (int i = 0; i < 20; i++) {
            new Socket(LOOPBACK, listener.getLocalPort()).getOutputStream().write(1);
            listener.accept().getInputStream().read();
        }
        check(provider.openStreams() > 0, "no stream was open");
        for (int i = 0; i < 200 && provider.openStreams() > 0; i++) {
            System.gc();
            Thread.sleep(10);
        }
        check(provider.openStreams() == 0, provider.openStreams());
        listener.close();
    }
}
