package java.net;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;

/** The maker of early sockets. Its constructor needs no method handle of a type of its own. */
final class EarlySocketMaker
        implements SocketImplFactory, Consumer<Object[]>, Supplier<SocketImpl> {
    private ToIntBiFunction<InetSocketAddress, InetSocketAddress> place;
    private Function<Map<String, Object>, SocketImpl> start;
    private AtomicLongArray connected;
    private AtomicLongArray accepted;

    /**
     * Once, before the first socket.
     *
     * @param given first what says where a connection is to be made from the address that the
     *     application has bound the socket to, or null, to another: one of the constants of {@link
     *     EarlySocketImpl}, or for good on the kernel; then what starts the switch, which may take
     *     long, and gives its implementation for the socket that the map describes: null if there
     *     is none, and for an empty map; then the counts of connections made on the kernel, by what
     *     the first said; then those of connections accepted, likewise
     */
    @Override
    @SuppressWarnings("unchecked")
    public void accept(Object[] given) {
        place = (ToIntBiFunction<InetSocketAddress, InetSocketAddress>) given[0];
        start = (Function<Map<String, Object>, SocketImpl>) given[1];
        connected = (AtomicLongArray) given[2];
        accepted = (AtomicLongArray) given[3];
    }

    @Override
    public SocketImpl createSocketImpl() {
        return new EarlySocketImpl(place, start, connected);
    }

    /** For a listener. */
    @Override
    public SocketImpl get() {
        return new EarlyServerImpl(place, start, accepted);
    }
}
