package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.Linux;

/**
 * Objects that a queue pair needs for notifications and wake-ups, and that the next queue pair may
 * use again: a completion channel, whose descriptor is known to the event loop, an eventfd, a CQ
 * for receives and one for sends. Making and destroying them takes some twenty system calls, as
 * many as the rest of a queue pair.
 *
 * <p>Pending notification requests are kept from one owner to the next, because only an event ends
 * a request at the device. One owner at a time; guarded by the owner's lock.
 */
final class CqResources {
    private final Ibv ibv;
    final int receives;
    final int sends;
    long compChannel;
    int compFd = -1;
    int wakeFd = -1;
    long receiveCq;
    long sendCq;

    /** Requests to the queues that had no event yet; {@link ChannelEvents} owns them. */
    int receiveAsked;

    boolean sendAsked;

    /** When the resources came back, in sweeps of {@link CqResourcesPool}. */
    int sweep;

    /**
     * @param receives capacity of the CQ for receives, in completions
     * @throws FabricException if a resource is short; nothing is left then
     */
    CqResources(VerbsDevice device, EpollLoop loop, int receives, int sends)
            throws FabricException {
        this.ibv = device.ibv;
        this.receives = receives;
        this.sends = sends;
        try {
            wakeFd = (int) VerbsFailures.check("no eventfd", Descriptors.eventFd());
            String on = " on " + device.name;
            long context = device.context;
            compChannel =
                    VerbsFailures.check(
                            "no completion channel" + on, ibv.createCompChannel(context));
            compFd = Ibv.compChannelFd(compChannel);
            Descriptors.blocking(compFd, false);
            VerbsFailures.check("the completion channel cannot be watched", loop.introduce(compFd));
            String queue = "no completion queue" + on;
            receiveCq = VerbsFailures.check(queue, ibv.createCq(context, receives, compChannel));
            sendCq = VerbsFailures.check(queue, ibv.createCq(context, sends, compChannel));
        } catch (FabricException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * Destroys everything. No queue pair uses it, and every event that was taken is acknowledged.
     */
    void close() {
        destroyCq(receiveCq);
        destroyCq(sendCq);
        if (compChannel > 0) {
            ibv.destroyCompChannel(compChannel);
        }
        if (wakeFd >= 0) {
            Linux.close(wakeFd);
        }
    }

    private void destroyCq(long cq) {
        if (cq > 0) {
            ibv.destroyCq(cq);
        }
    }
}
