package java.net;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;
import jdk.internal.vm.annotation.DontInline;

/**
 * Calls the protected methods of any {@link SocketImpl}, and makes the JDK's own. It is in this
 * package because other code could call them only through method handles, which are slow to make.
 *
 * <p>The class is public because the package is; only the switch can get its one object.
 */
public final class SocketImplAccess {
    static final SocketImplAccess ONLY = new SocketImplAccess();

    private SocketImplAccess() {}

    public SocketImpl platform(boolean server) {
        return SocketImpl.createPlatformSocketImpl(server);
    }

    /** Returns an implementation that asks for proxies before {@code platform} connects. */
    public SocketImpl behindProxies(SocketImpl platform) {
        return new SocksSocketImpl(platform);
    }

    public void create(SocketImpl impl) throws IOException {
        impl.create(true);
    }

    public void connect(SocketImpl impl, SocketAddress to, int timeoutMillis) throws IOException {
        impl.connect(to, timeoutMillis);
    }

    public void bind(SocketImpl impl, InetAddress host, int port) throws IOException {
        impl.bind(host, port);
    }

    public void listen(SocketImpl impl, int backlog) throws IOException {
        impl.listen(backlog);
    }

    public void accept(SocketImpl impl, SocketImpl into) throws IOException {
        impl.accept(into);
    }

    public InputStream input(SocketImpl impl) throws IOException {
        return impl.getInputStream();
    }

    public OutputStream output(SocketImpl impl) throws IOException {
        return impl.getOutputStream();
    }

    /**
     * Calls {@code in.read} for the stream of a platform socket. It is not inlined into its
     * callers, most of which are compiled when their bytes no longer go this way.
     */
    @DontInline
    public int read(InputStream in, byte[] b, int off, int len) throws IOException {
        return in.read(b, off, len);
    }

    /** Calls {@code out.write} in the same way. */
    @DontInline
    public void write(OutputStream out, byte[] b, int off, int len) throws IOException {
        out.write(b, off, len);
    }

    public int available(SocketImpl impl) throws IOException {
        return impl.available();
    }

    public void close(SocketImpl impl) throws IOException {
        impl.close();
    }

    public void shutdownInput(SocketImpl impl) throws IOException {
        impl.shutdownInput();
    }

    public void shutdownOutput(SocketImpl impl) throws IOException {
        impl.shutdownOutput();
    }

    public void sendUrgentData(SocketImpl impl, int data) throws IOException {
        impl.sendUrgentData(data);
    }

    public FileDescriptor descriptor(SocketImpl impl) {
        return impl.getFileDescriptor();
    }

    public InetAddress inetAddress(SocketImpl impl) {
        return impl.getInetAddress();
    }

    public int port(SocketImpl impl) {
        return impl.getPort();
    }

    public int localPort(SocketImpl impl) {
        return impl.getLocalPort();
    }

    public <T> void setOption(SocketImpl impl, SocketOption<T> name, T value) throws IOException {
        impl.setOption(name, value);
    }

    public <T> T option(SocketImpl impl, SocketOption<T> name) throws IOException {
        return impl.getOption(name);
    }

    public Set<SocketOption<?>> supportedOptions(SocketImpl impl) {
        return impl.supportedOptions();
    }
}
