package sun.nio.ch;

import static java.net.StandardProtocolFamily.UNIX;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;

/**
 * Makes early channels, and the other things that an early provider opens, for code outside of the
 * JDK.
 */
final class EarlyMaker implements Function<Object[], Object> {
    /**
     * Makes one object.
     *
     * @param given the kind and the provider; for a channel also the protocol family or null; then,
     *     for a {@code listener} and a {@code connection}, the components of {@link
     *     EarlyConnection.Rules}
     * @throws UncheckedIOException around the exception of the JDK
     */
    @Override
    public Object apply(Object[] given) {
        SelectorProvider provider = (SelectorProvider) given[1];
        try {
            return switch ((String) given[0]) {
                case "selector" -> new EPollSelectorImpl(provider);
                case "pipe" -> new PipeImpl(provider);
                case "datagrams" -> datagrams(provider, (ProtocolFamily) given[2]);
                case "unix" -> new SocketChannelImpl(provider, UNIX);
                case "unix-listener" -> new ServerSocketChannelImpl(provider, UNIX);
                case "listener" ->
                        new ListeningChannel(
                                provider,
                                (ProtocolFamily) given[2],
                                null,
                                new EarlyListening(rules(given)));
                default ->
                        EarlyConnection.toConnect(
                                provider, (ProtocolFamily) given[2], rules(given));
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As the JDK's own provider makes them. */
    private static Object datagrams(SelectorProvider provider, ProtocolFamily family)
            throws IOException {
        return family == null
                ? new DatagramChannelImpl(provider, true)
                : new DatagramChannelImpl(provider, family, true);
    }

    @SuppressWarnings("unchecked")
    private static EarlyConnection.Rules rules(Object[] given) {
        return new EarlyConnection.Rules(
                (ToIntBiFunction<InetSocketAddress, InetSocketAddress>) given[3],
                (Consumer<Object[]>) given[4],
                (AtomicLongArray) given[5],
                (AtomicLongArray) given[6]);
    }
}
