package sun.nio.ch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ProtocolFamily;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Consumer;
import java.util.function.Function;

/** Makes early listening channels, and selectors for them, for code outside of the JDK. */
final class EarlyMaker implements Function<Object[], Object> {
    /**
     * Makes one.
     *
     * @param given the provider; for a channel also what {@link ListeningChannel#early} takes
     * @throws UncheckedIOException around the exception of the JDK
     */
    @Override
    @SuppressWarnings("unchecked")
    public Object apply(Object[] given) {
        SelectorProvider provider = (SelectorProvider) given[0];
        try {
            return given.length == 1
                    ? new EPollSelectorImpl(provider)
                    : ListeningChannel.early(
                            provider, (ProtocolFamily) given[1], (Consumer<Object[]>) given[2]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
