package io.sdp4j.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Consumer;

/**
 * An event loop over a JDK selector, for where native access is denied. Handlers are called as long
 * as their channel is ready.
 *
 * <p>The selector comes from the provider that the fabric's channels come from, which is never an
 * intercepted one: this is the loop that interception itself sleeps in.
 */
public final class SelectorLoop extends LoopBase {
    private final Selector selector;
    private final SelectorProvider provider;

    /**
     * @throws UncheckedIOException if no selector can be opened
     */
    public SelectorLoop(String name, Consumer<Throwable> sink, SelectorProvider provider) {
        super(name, sink);
        this.provider = provider;
        try {
            selector = provider.openSelector();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public SelectorProvider provider() {
        return provider;
    }

    /**
     * Calls {@code handler} on the loop's thread while {@code channel} is ready for {@code ops},
     * until told otherwise. Closing the channel ends it.
     */
    public void watch(SelectableChannel channel, int ops, Runnable handler) {
        Runnable register =
                () -> {
                    try {
                        channel.register(selector, ops, handler);
                    } catch (ClosedChannelException e) {
                        // no caller is left to be told
                    }
                };
        if (inLoop()) {
            register.run();
        } else {
            execute(register);
        }
    }

    /** Lets the selector drop the keys of channels closed meanwhile, which frees descriptors. */
    public void flushClosed() {
        execute(() -> {});
    }

    @Override
    void sleepAndDispatch(long nanos) {
        try {
            if (nanos == 0) {
                selector.selectNow(this::dispatch);
            } else if (nanos == Long.MAX_VALUE) {
                selector.select(this::dispatch);
            } else {
                selector.select(this::dispatch, Math.max(1, (nanos + 999_999) / 1_000_000));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void dispatch(SelectionKey key) {
        guard(
                () -> {
                    try {
                        ((Runnable) key.attachment()).run();
                    } catch (CancelledKeyException e) {
                        // closed by another thread meanwhile
                    }
                });
    }

    @Override
    void wakeUp() {
        selector.wakeup();
    }
}
