package io.sdp4j.fabric.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * One end of {@link BareVerbs}: a queue pair with one completion queue, whose only thread polls it
 * and sleeps when there is nothing. No lock, no copy, no state but counts.
 *
 * <p>Flow control is the least that keeps a message from finding no buffer: one empty message back
 * for every {@link #CREDITS} that came.
 */
final class BareEnd {
    /** Messages that one answer stands for; as our own streams do it. */
    static final int CREDITS = 2;

    /** Messages under way at most. */
    private static final int WINDOW = 8;

    /**
     * Receives posted; more than the window, as soft-iWARP cut connections with 16 of them and
     * messages of 20 KB and more after 26 messages, whatever the window. Its cause was not found.
     */
    private static final int BUFFERS = 32;

    /** Private data that says where the region is. */
    static final int PLACE_BYTES = 12;

    /** A message that says something and carries nothing. */
    private static final int WORD_BYTES = 32;

    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int BATCH = 16;
    private static final int REGION_BYTES = 4 << 20;
    private static final int SEND = 1;
    private static final int RECEIVE = 2;
    private static final Arena ARENA = Arena.global();

    /** One for the process: buffers are registered once. */
    private static long pd;

    private static MemorySegment buffers;
    private static MemorySegment region;
    private static int buffersKey;
    private static int regionKey;
    private static int regionRemoteKey;

    private final RdmaCm cm;
    private final Ibv ibv;
    private final DataPathVerbs hot;
    private final long id;
    private final long channel;
    private final long cq;
    private final long qp;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment wcs = arena.allocate(BATCH * IbvWc.BYTES, 8);
    private final MemorySegment receiveWrs = arena.allocate(BUFFERS * IbvRecvWr.BYTES, 8);
    private final MemorySegment receiveSges = arena.allocate(BUFFERS * IbvSge.BYTES, 8);
    private final MemorySegment sendWr = arena.allocate(IbvSendWr.BYTES, 8);
    private final MemorySegment sendSge = arena.allocate(IbvSge.BYTES, 8);
    private final MemorySegment scratch = arena.allocate(32, 8);
    private int events;
    private int sends;
    private long remoteAddress;
    private int remoteKey;

    /** Makes the queue pair of {@code id} and posts all its receives. */
    BareEnd(RdmaCm cm, Ibv ibv, long id) throws IOException {
        this.cm = cm;
        this.ibv = ibv;
        this.id = id;
        long context = RdmaCmId.verbs(id);
        hot = new DataPathVerbs(Bindings.at(context, IbvContext.LAYOUT));
        registerOnce(ibv, context);
        channel = ibv.createCompChannel(context);
        check("completion channel", channel);
        cq = ibv.createCq(context, 4 * BUFFERS, channel);
        check("completion queue", cq);
        MemorySegment attr = arena.allocate(IbvQpInitAttr.LAYOUT);
        IbvQpInitAttr.setRc(attr, cq, cq, 2 * BUFFERS, BUFFERS, 0);
        check("queue pair", cm.createQp(id, pd, attr));
        qp = RdmaCmId.queuePair(id);
        for (int i = 0; i < BUFFERS; i++) {
            long sge = i * IbvSge.BYTES;
            IbvSge.set(receiveSges, sge, place(i), BareVerbs.MESSAGE_BYTES, buffersKey);
            long wr = i * IbvRecvWr.BYTES;
            IbvRecvWr.set(receiveWrs, wr, WrId.of(RECEIVE, i), receiveSges.address() + sge);
            postReceive(i);
        }
    }

    private static long place(int buffer) {
        return buffers.address() + (long) buffer * ((BareVerbs.MESSAGE_BYTES + 48) & -64);
    }

    private static synchronized void registerOnce(Ibv ibv, long context) throws IOException {
        if (pd == 0) {
            pd = ibv.allocPd(context);
            buffers = ARENA.allocate(2L * BUFFERS * (BareVerbs.MESSAGE_BYTES + 64), 4096);
            region = ARENA.allocate(REGION_BYTES, 4096).fill((byte) 1);
            long local = ibv.regMr(pd, buffers, Ibv.ACCESS_LOCAL_WRITE);
            int all = Ibv.ACCESS_LOCAL_WRITE | Ibv.ACCESS_REMOTE_WRITE | Ibv.ACCESS_REMOTE_READ;
            long remote = ibv.regMr(pd, region, all);
            check("registration", Math.min(local, remote));
            buffersKey = Ibv.lkey(local);
            regionKey = Ibv.lkey(remote);
            regionRemoteKey = Ibv.rkey(remote);
        }
    }

    static void check(String what, long result) throws IOException {
        if (result < 0) {
            throw new IOException(what + ": " + result);
        }
    }

    // ---- the connection

    /** The next event of a channel that blocks. */
    static CmEvent next(RdmaCm cm, long channel) throws IOException {
        RdmaCm.Fetched event = cm.nextEvent(channel);
        if (event == null) {
            throw new IOException("no event");
        }
        CmEvent e = RdmaCmEvent.copy(event);
        cm.ackEvent(event.at());
        return e;
    }

    static CmEvent expect(RdmaCm cm, long channel, int type) throws IOException {
        CmEvent e = next(cm, channel);
        if (e.type() != type) {
            throw new IOException("event " + e.type() + " instead of " + type);
        }
        return e;
    }

    /** False if the port that it would leave by is taken, unless this is the {@code last} try. */
    boolean connect(byte[] privateData, boolean last) throws IOException {
        try (Arena a = Arena.ofConfined()) {
            int r = cm.connect(id, RdmaConnParam.of(a, privateData, 16, 16));
            if (!last && (r == -EADDRINUSE || r == -EADDRNOTAVAIL)) {
                return false;
            }
            check("connect", r);
            return true;
        }
    }

    /** Where the region is, for {@link #remote} of the other side. */
    byte[] place() {
        return ByteBuffer.allocate(PLACE_BYTES)
                .putLong(region.address())
                .putInt(regionRemoteKey)
                .array();
    }

    /** Tells where the region is. */
    void accept() throws IOException {
        try (Arena a = Arena.ofConfined()) {
            check("accept", cm.accept(id, RdmaConnParam.of(a, place(), 16, 16)));
        }
    }

    /** Takes where the other side's region is from the next bytes. */
    void remote(ByteBuffer b) {
        remoteAddress = b.getLong();
        remoteKey = b.getInt();
    }

    void disconnect() {
        cm.disconnect(id);
    }

    void close() {
        cm.destroyQp(id);
        if (events > 0) {
            ibv.ackCqEvents(cq, events);
        }
        ibv.destroyCq(cq);
        ibv.destroyCompChannel(channel);
        cm.destroyId(id);
        arena.close();
    }

    // ---- the loops

    private void postReceive(int buffer) {
        long wr = receiveWrs.address() + buffer * IbvRecvWr.BYTES;
        if (hot.postReceive(qp, wr, scratch.address()) != 0) {
            throw new IllegalStateException("receive not posted");
        }
    }

    private void postSend(int opcode, long address, int lenBytes, int key, long to) {
        IbvSge.set(sendSge, 0, address, lenBytes, key);
        int pieces = lenBytes == 0 ? 0 : 1;
        long wrId = WrId.of(SEND, 0);
        IbvSendWr.set(sendWr, 0, wrId, sendSge.address(), pieces, opcode, IbvSendWr.SIGNALED);
        IbvSendWr.setRemote(sendWr, 0, to, remoteKey);
        if (hot.postSend(qp, sendWr.address(), scratch.address()) != 0) {
            throw new IllegalStateException("send not posted");
        }
        sends++;
    }

    /** Sends one message of nothing and waits until it has left. */
    void greet() {
        postSend(IbvSendWr.OP_SEND, 0, 0, 0, 0);
        while (sends > 0) {
            take();
        }
    }

    /** Sends so many messages, and waits until all were received. */
    void send(long messages) {
        long credit = WINDOW;
        long left = messages;
        long heard = 0;
        while (heard < messages) {
            while (left > 0 && credit > 0 && sends < WINDOW) {
                int buffer = BUFFERS + (int) (left % BUFFERS);
                long from = place(buffer);
                postSend(IbvSendWr.OP_SEND, from, BareVerbs.MESSAGE_BYTES, buffersKey, 0);
                credit--;
                left--;
            }
            int answers = take();
            credit += (long) answers * CREDITS;
            heard += (long) answers * CREDITS;
        }
    }

    /** Receives so many messages, and answers. */
    void receive(long messages) {
        long since = 0;
        for (long left = messages; left > 0; ) {
            int n = take();
            left -= n;
            for (since += n; since >= CREDITS; since -= CREDITS) {
                postSend(IbvSendWr.OP_SEND, 0, 0, 0, 0);
            }
        }
    }

    /** Reads so many pieces of the other side's region. */
    void read(long pieces, int atATime) {
        for (long left = pieces; left > 0 || sends > 0; ) {
            while (left > 0 && sends < atATime) {
                long at = left % (REGION_BYTES / BareVerbs.READ_BYTES) * BareVerbs.READ_BYTES;
                postSend(
                        IbvSendWr.OP_RDMA_READ,
                        region.address() + at,
                        BareVerbs.READ_BYTES,
                        regionKey,
                        remoteAddress + at);
                left--;
            }
            take();
        }
    }

    /** Says so many times that there is a piece to be read, and waits until it was. */
    void lend(long pieces) {
        int answers = 0;
        for (long left = pieces; left > 0; left--) {
            postSend(IbvSendWr.OP_SEND, place(BUFFERS), WORD_BYTES, buffersKey, 0);
            while (answers == 0) {
                answers = take();
            }
            answers--;
        }
    }

    /** Reads a piece each time that there is one, and says so when it has been read. */
    void borrow(long pieces) {
        int told = 0;
        for (long left = pieces; left > 0; left--) {
            while (told == 0) {
                told = take();
            }
            told--;
            int key = regionKey;
            long from = region.address();
            int bytes = BareVerbs.READ_BYTES;
            postSend(IbvSendWr.OP_RDMA_READ, from, bytes, key, remoteAddress);
            while (sends > 0) {
                told += take();
            }
            postSend(IbvSendWr.OP_SEND, place(BUFFERS), WORD_BYTES, buffersKey, 0);
        }
    }

    /** Waits until something completes; how many messages came. */
    private int take() {
        int n = hot.poll(cq, BATCH, wcs.address());
        if (n == 0) {
            hot.requestNotify(cq, false);
            n = hot.poll(cq, BATCH, wcs.address());
        }
        while (n == 0) {
            if (!ibv.getCqEvent(channel, scratch.address())) {
                throw new IllegalStateException("no completion event");
            }
            events++;
            n = hot.poll(cq, BATCH, wcs.address());
            if (n == 0) {
                hot.requestNotify(cq, false);
                n = hot.poll(cq, BATCH, wcs.address());
            }
        }
        int messages = 0;
        for (int i = 0; i < n; i++) {
            long wrId = IbvWc.wrId(wcs, i);
            if (IbvWc.status(wcs, i) != IbvWc.SUCCESS) {
                throw new IllegalStateException("completion status " + IbvWc.status(wcs, i));
            }
            if (WrId.kind(wrId) == RECEIVE) {
                messages++;
                postReceive(WrId.index(wrId));
            } else {
                sends--;
            }
        }
        return messages;
    }
}
