package io.sdp4j.offload;

import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes each provider listen beside one kernel listener. Runs once: at once ({@link #now}), or
 * later as a task on another thread.
 *
 * @param providers asked in this order
 * @param losses told if none of them listens
 * @param listening settled with those that do
 */
record OffloadListen(
        List<OffloadProvider> providers, Losses losses, ListenSpec spec, OffloadListeners listening)
        implements Runnable {
    @Override
    public void run() {
        if (listening.isClosed()) {
            return;
        }
        try {
            ProviderFailure _ = now();
        } catch (LinkageError | OutOfMemoryError e) {
            OffloadSwitch.Log.OUT.warn("{} does not listen for offload", spec.address(), e);
        }
        if (listening.pending()) {
            spec.onPending().run(); // an earlier call found nothing to poll yet
        }
    }

    /** Listens, and returns why providers could not. */
    ProviderFailure now() {
        List<OffloadListener> found = new ArrayList<>();
        ProviderFailure failure = new ProviderFailure();
        for (OffloadProvider provider : providers) {
            try {
                found.add(provider.listen(spec));
            } catch (OffloadUnavailable e) {
                failure.add(e);
            } catch (RuntimeException e) {
                OffloadSwitch.Log.OUT.warn(
                        "provider {} failed to listen on {}", provider.name(), spec.address(), e);
                failure.add(provider, e);
            } catch (Error e) {
                found.forEach(OffloadListener::close);
                failure.add(provider, e);
                listening.settle(List.of(), failure.kernel());
                throw e;
            }
        }
        if (found.isEmpty()) {
            OffloadSwitch.Log.OUT.debug(
                    "{} does not listen for offload: {}", spec.address(), failure.detail());
            losses.add("listener " + spec.address(), failure.reason(), failure.detail());
        }
        listening.settle(found, failure.kernel());
        return failure;
    }
}
