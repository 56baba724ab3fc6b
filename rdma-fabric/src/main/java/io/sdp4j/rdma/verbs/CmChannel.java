package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.os.Descriptors;
import io.sdp4j.rdma.os.EpollLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The one event channel of a fabric: every id of it lives here, and every event is taken from it on
 * the event thread and handed to the target of its id.
 *
 * <p>Destroying an id waits until the events that were fetched for it are acknowledged. The target
 * of an event is looked up before it is acknowledged, so an address that is in use again never
 * takes a dead id's events; and it is told of the event afterwards, so destroying never waits for
 * our own code. All methods are for any thread.
 */
final class CmChannel {
    /** Takes the events of one id, on the event thread. */
    @FunctionalInterface
    interface Target {
        void onCmEvent(CmEvent event);
    }

    private final RdmaCm cm;
    private final EpollLoop loop;
    private final long channel;
    private final long watch;
    private final Map<Long, Target> targets = new ConcurrentHashMap<>();

    /**
     * @throws FabricException if there is no RDMA device, or we may not use it
     */
    CmChannel(RdmaCm cm, EpollLoop loop) throws FabricException {
        this.cm = cm;
        this.loop = loop;
        channel = cm.createEventChannel();
        if (channel < 0) {
            throw Failures.noChannel((int) channel);
        }
        int fd = RdmaEventChannel.fd(Bindings.at(channel, RdmaEventChannel.LAYOUT));
        Descriptors.nonBlocking(fd);
        watch = loop.watch(fd, what -> onReadable());
        if (watch < 0) {
            cm.destroyEventChannel(channel);
            throw Failures.of("the event channel cannot be watched", (int) watch);
        }
    }

    RdmaCm cm() {
        return cm;
    }

    EpollLoop loop() {
        return loop;
    }

    /** A new id whose events go to {@code target}. */
    long createId(Target target) throws FabricException {
        long id = cm.createId(channel);
        if (id < 0) {
            throw Failures.of("rdma_create_id", (int) id);
        }
        targets.put(id, target);
        return id;
    }

    /** From now on the events of {@code id} go to {@code target}. */
    void retarget(long id, Target target) {
        targets.put(id, target);
    }

    /** Destroys an id. */
    void destroyId(long id) {
        targets.remove(id);
        cm.destroyId(id);
    }

    /** Ids there are. */
    int ids() {
        return targets.size();
    }

    private void onReadable() {
        RuntimeException failed = null;
        for (long at = cm.nextEvent(channel); at != 0; at = cm.nextEvent(channel)) {
            CmEvent e = RdmaCmEvent.copy(Bindings.at(at, RdmaCmEvent.LAYOUT));
            boolean request = e.type() == RdmaCmEvent.CONNECT_REQUEST;
            Target t = targets.get(request ? e.listenId() : e.id());
            cm.ackEvent(at);
            try {
                if (t != null) {
                    t.onCmEvent(e);
                } else if (request) {
                    cm.destroyId(e.id()); // nobody would
                }
            } catch (RuntimeException ex) {
                failed = ex; // the events behind it belong to others
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** Ends the channel. Event thread; no id is left. */
    void close() {
        loop.forget(watch);
        cm.destroyEventChannel(channel);
    }
}
