package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EpollLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The one event channel of a fabric: its ids live here, and every event is taken from it on the
 * event thread and handed to the target of its id. Only an id that is being connected is elsewhere:
 * on a channel that its connecting thread has for the attempt, where it is alone, and from which
 * that thread takes the events itself, as each would cost two more hand-overs by way of the event
 * thread. It comes here when it is connected.
 *
 * <p>Destroying an id waits until the events that were fetched for it are acknowledged. The target
 * of an event is looked up before it is acknowledged, so an address that is in use again never
 * takes a dead id's events; and it is told of the event afterwards, so destroying never waits for
 * our own code. All methods are for any thread, but for the end. {@code spare}: a few channels for
 * those who connect next, whose events are waited for; with {@code users} and {@code ended} guarded
 * by itself.
 */
final class CmChannel {
    /** Takes the events of one id, on the event thread. */
    @FunctionalInterface
    interface Target {
        void onCmEvent(CmEvent event);
    }

    /** Channels that are kept for the next connects; making one means opening a file. */
    private static final int MAX_SPARE = 4;

    final RdmaCm cm;
    final EpollLoop loop;
    private final ArrayDeque<Long> spare = new ArrayDeque<>();
    private final MemorySegment scratch = Arena.ofAuto().allocate(Descriptors.AWAIT_BYTES, 8);

    /** Users of the channel that have no id there: attempts to connect, and ends of ids. */
    private int users;

    private boolean ended;
    private final int fd;
    private final long channel;
    private final long watch;
    private final Map<Long, Target> targets = new ConcurrentHashMap<>();

    /**
     * @throws FabricException if there is no RDMA device, or this process may not use it
     */
    CmChannel(RdmaCm cm, EpollLoop loop) throws FabricException {
        this.cm = cm;
        this.loop = loop;
        channel = open();
        fd = RdmaCm.eventChannelFd(channel);
        Descriptors.blocking(fd, false);
        watch = loop.watchLevel(fd, what -> onReadable());
        if (watch < 0) {
            cm.destroyEventChannel(channel);
            throw VerbsFailures.of("the event channel cannot be watched", (int) watch);
        }
    }

    private long open() throws FabricException {
        long opened = cm.createEventChannel();
        if (opened < 0) {
            throw VerbsFailures.noChannel((int) opened);
        }
        return opened;
    }

    /** Returns a channel for one attempt to connect, which must be given back. */
    long own() throws FabricException {
        synchronized (spare) {
            requireOpen();
            if (spare.isEmpty()) {
                spare.push(open());
            }
            users++;
            return spare.pop();
        }
    }

    private void requireOpen() throws FabricException {
        if (ended) {
            throw new FabricException(Cause.CLOSED, "the fabric is closed");
        }
    }

    /** No id is left there. */
    void giveBack(long own) {
        boolean keep;
        synchronized (spare) {
            keep = spare.size() < MAX_SPARE;
            if (keep) {
                spare.push(own);
            }
            users--;
        }
        if (!keep) {
            cm.destroyEventChannel(own);
        }
    }

    /** Makes an id whose events go to {@code target}. */
    long createId(Target target) throws FabricException {
        synchronized (spare) {
            requireOpen();
            return createId(channel, target);
        }
    }

    /**
     * Makes an id whose events the caller takes from {@code own}; {@code target} gets later events.
     */
    long createId(long own, Target target) throws FabricException {
        long id = VerbsFailures.check("rdma_create_id", cm.createId(own));
        targets.put(id, target);
        return id;
    }

    /** Sends the events of {@code id} to {@code target} from now on. */
    void retarget(long id, Target target) {
        targets.put(id, target);
    }

    /**
     * Moves an id here from the channel of an attempt; from now on its events go to {@code target}.
     */
    void adopt(long id, Target target) throws FabricException {
        retarget(id, target);
        VerbsFailures.check("rdma_migrate_id", cm.migrateId(id, channel));
        // pending events were moved along, and the kernel wakes no thread for them
        boolean more;
        synchronized (scratch) {
            more = Descriptors.await(scratch, fd, -1, 0) != 0;
        }
        if (more) {
            loop.execute(this::takeAll);
        }
    }

    /** Destroys an id. */
    void destroyId(long id) {
        addUsers(1);
        targets.remove(id);
        cm.destroyId(id);
        addUsers(-1);
    }

    private void addUsers(int more) {
        synchronized (spare) {
            users += more;
        }
    }

    /**
     * From now on no user gets the channel, unless there is one still. Event thread, between two
     * events.
     *
     * @return true once, when there is none: {@link #close} is due
     */
    boolean endIfUnused() {
        synchronized (spare) {
            boolean ends = !ended && users == 0 && targets.isEmpty();
            ended |= ends;
            return ends;
        }
    }

    /** Takes and acknowledges the next event of {@code own}; null if a signal ended the wait. */
    CmEvent take(long own) {
        RdmaCm.Fetched event = cm.nextEvent(own);
        if (event == null) {
            return null;
        }
        try {
            return RdmaCmEvent.copy(event);
        } finally {
            cm.ackEvent(event.at());
        }
    }

    /** Takes the events that were moved here. */
    private void takeAll() {
        boolean more = true; // events behind one that fails belong to other ids
        try {
            more = onReadable();
        } finally {
            if (more) {
                loop.schedule(this::takeAll, 0); // not a task: tasks go before timers
            }
        }
    }

    /** Takes one event, if there is one; if there are more, the loop calls again. */
    private boolean onReadable() {
        synchronized (spare) {
            if (ended) { // a task of takeAll that comes behind the close
                return false;
            }
        }
        RdmaCm.Fetched event = cm.nextEvent(channel);
        if (event == null) {
            return false;
        }
        CmEvent e;
        Target t;
        try {
            e = RdmaCmEvent.copy(event);
            t = targets.get(isRequest(e) ? e.listenId() : e.id());
        } finally {
            cm.ackEvent(event.at());
        }
        if (t != null) {
            t.onCmEvent(e);
        } else if (isRequest(e)) {
            cm.destroyId(e.id()); // it has no other owner
        }
        return true;
    }

    private static boolean isRequest(CmEvent e) {
        return e.type() == RdmaCmEvent.CONNECT_REQUEST;
    }

    /** Ends the channel, after {@link #endIfUnused}. Event thread. */
    void close() {
        loop.forget(watch);
        cm.destroyEventChannel(channel);
        synchronized (spare) {
            spare.forEach(cm::destroyEventChannel);
            spare.clear();
        }
    }
}
