package sun.nio.ch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;

/** Makes early channels, and selectors for them, for code outside of the JDK. */
final class EarlyMaker implements Function<Object[], Object> {
    /**
     * Makes one.
     *
     * @param given the provider; for a channel also the protocol family or null; then for one that
     *     listens what {@link ListeningChannel#early} takes, else the components of {@link
     *     EarlyConnection.Rules}
     * @throws UncheckedIOException around the exception of the JDK
     */
    @Override
    public Object apply(Object[] given) {
        SelectorProvider provider = (SelectorProvider) given[0];
        try {
            return switch (given.length) {
                case 1 -> new EPollSelectorImpl(provider);
                case 3 -> listener(provider, given);
                default -> connection(provider, given);
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Object listener(SelectorProvider provider, Object[] given) throws IOException {
        return ListeningChannel.early(
                provider, (ProtocolFamily) given[1], (Consumer<Object[]>) given[2]);
    }

    @SuppressWarnings("unchecked")
    private static Object connection(SelectorProvider provider, Object[] given)
            throws IOException {
        ProtocolFamily family = (ProtocolFamily) given[1];
        ConnectionChannel channel = new ConnectionChannel(provider, family);
        channel.decidedBy(
                new EarlyConnection(
                        channel,
                        family,
                        new EarlyConnection.Rules(
                                (ToIntBiFunction<InetSocketAddress, InetSocketAddress>) given[2],
                                (Consumer<Object[]>) given[3],
                                (AtomicLongArray) given[4])));
        return channel;
    }
}
