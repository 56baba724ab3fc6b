package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Requests for another buffer size and their answers, at every edge of section 9. */
class ResizingTest {
    private static final int SIZE = 16_400;

    private final ActionList out = new ActionList();

    private static Resizing sizes(int min, int max) {
        Features features = Features.NONE.withReceiveBytes(min, max);
        Resizing sizes = new Resizing(Rig.CONFIG.with(features));
        sizes.onPeerBytes(SIZE);
        return sizes;
    }

    /** One that has asked for a size, in message 5. */
    private static Resizing asking(int wanted) {
        Resizing sizes = sizes(4096, 65_552);
        assertTrue(sizes.want(wanted));
        sizes.onRequestSent(5);
        return sizes;
    }

    @Test
    void whatCanBeAskedFor() {
        Resizing sizes = sizes(0, 0);
        assertFalse(sizes.busy());
        assertFalse(sizes.requestDue());
        assertFalse(sizes.want(SIZE), "as it is");
        assertFalse(sizes.want(36), "no room for a SinkAvail with payload");
        assertTrue(sizes.want(37));
        assertTrue(sizes.busy());
        assertTrue(sizes.requestDue());
        assertFalse(sizes.want(38), "one at a time");
        sizes.onRequestSent(1);
        assertTrue(sizes.busy());
        assertFalse(sizes.requestDue());
        assertFalse(sizes.want(38));
        assertEquals(37, sizes.peerBytes());
        assertEquals(AbortReason.NONE, sizes.onAnswer(37));
        assertFalse(sizes.busy());
        assertTrue(sizes.want(38));
    }

    @Test
    void answersThatCannotBe() {
        assertEquals(AbortReason.UNEXPECTED_ANSWER, sizes(0, 0).onAnswer(SIZE));
        Resizing wanting = sizes(0, 0);
        assertTrue(wanting.want(8192));
        assertEquals(AbortReason.UNEXPECTED_ANSWER, wanting.onAnswer(8192), "not asked yet");
        assertEquals(AbortReason.BAD_SIZE, asking(8192).onAnswer(36));
        assertEquals(AbortReason.BAD_SIZE, asking(8192).onAnswer(1 << 31));
        Resizing twice = asking(8192);
        assertEquals(AbortReason.NONE, twice.onAnswer(8192));
        assertEquals(AbortReason.UNEXPECTED_ANSWER, twice.onAnswer(8192));
    }

    @Test
    void aLargerSizeCountsWhenItIsGranted() {
        Resizing sizes = asking(65_552);
        assertEquals(SIZE, sizes.peerBytes());
        sizes.onAnswer(40_000);
        assertEquals(40_000, sizes.peerBytes());
        assertTrue(sizes.want(50_000), "granted in part is not refused");
        Resizing refused = asking(65_552);
        refused.onAnswer(SIZE);
        assertFalse(refused.want(SIZE + 1));
        assertTrue(refused.want(SIZE - 1));
        Resizing bare = asking(65_552);
        bare.onAnswer(SIZE - 16); // told without the BSDH
        assertEquals(SIZE - 16, bare.peerBytes());
        assertFalse(bare.want(SIZE));
    }

    @Test
    void aSmallerSizeBindsAtOnce() {
        Resizing sizes = asking(8192);
        assertEquals(8192, sizes.peerBytes());
        sizes.onAnswer(10_000);
        assertEquals(10_000, sizes.peerBytes());
        assertTrue(sizes.want(9000));
        Resizing refused = asking(8192);
        refused.onAnswer(SIZE);
        assertEquals(SIZE, refused.peerBytes());
        assertFalse(refused.want(SIZE - 1));
        assertTrue(refused.want(SIZE + 1));
        Resizing more = asking(8192);
        more.onAnswer(SIZE + 1);
        assertEquals(SIZE, more.peerBytes(), "more was not asked for");
    }

    @Test
    void whatIsGranted() {
        assertEquals(SIZE, granted(sizes(0, 0), 4096));
        assertEquals(SIZE, granted(sizes(0, 0), 65_552));
        assertEquals(-1, Rig.indexOf(out, ActionList.RESIZE), "nothing changes");
        assertEquals(SIZE, granted(sizes(20_000, 10_000), 65_552), "bounds beyond the size itself");
        assertEquals(SIZE, granted(sizes(20_000, 10_000), 37));
        assertEquals(4096, granted(sizes(4096, 65_552), 37));
        assertEquals(4096, granted(sizes(4096, 65_552), 0));
        assertEquals(65_552, granted(sizes(4096, 65_552), 70_000));
        assertEquals(65_552, granted(sizes(4096, 65_552), 1 << 31));
        assertEquals(5000, granted(sizes(4096, 65_552), 5000));
    }

    private int granted(Resizing sizes, int desired) {
        out.clear();
        sizes.onRequest(desired, true, 0, 0, out);
        assertTrue(sizes.busy());
        assertTrue(sizes.answerDue());
        int granted = sizes.grantedBytes();
        sizes.onAnswerSent();
        assertFalse(sizes.busy());
        assertFalse(sizes.answerDue());
        assertEquals(granted, sizes.ownBytes());
        return granted;
    }

    @Test
    void aLargerSizeIsAnsweredBehindTheOldBuffers() {
        Resizing sizes = sizes(0, 65_552);
        sizes.onRequest(65_552, true, 0, 2, out);
        assertEquals(65_552, out.bytes(Rig.indexOf(out, ActionList.RESIZE)));
        assertEquals(SIZE, sizes.ownBytes(), "until the answer is sent");
        sizes.onArrival();
        assertFalse(sizes.answerDue());
        sizes.onArrival();
        assertTrue(sizes.answerDue());
        sizes.onArrival();
        assertTrue(sizes.answerDue());
        sizes.onAnswerSent();
        assertEquals(65_552, sizes.ownBytes());
    }

    @Test
    void aSmallerSizeIsAnsweredAtOnce() {
        Resizing sizes = sizes(4096, 0);
        sizes.onRequest(8192, true, 0, 10, out);
        assertTrue(sizes.answerDue());
        assertEquals(8192, sizes.ownBytes());
    }

    @Test
    void oneAnswerForTwoQuestions() {
        Resizing sizes = sizes(4096, 65_552);
        sizes.onRequest(8192, true, 0, 10, out);
        out.clear();
        sizes.onRequest(65_552, true, 0, 10, out);
        assertEquals(0, out.size());
        assertEquals(8192, sizes.grantedBytes());
    }

    @Test
    void nothingIsAskedWhileAnAnswerIsOwed() {
        Resizing sizes = sizes(4096, 65_552);
        sizes.onRequest(65_552, true, 0, 1, out);
        assertTrue(sizes.want(8192));
        assertFalse(sizes.requestDue());
        sizes.onArrival();
        sizes.onAnswerSent();
        assertTrue(sizes.requestDue());
    }

    @Test
    void ofTwoThatCrossTheAcceptingSidesStands() {
        Resizing accepting = asking(8192);
        accepting.onRequest(9000, false, 4, 10, out);
        assertFalse(accepting.answerDue());
        assertEquals(AbortReason.NONE, accepting.onAnswer(8192));

        Resizing connecting = asking(8192);
        connecting.onRequest(9000, true, 4, 10, out);
        assertTrue(connecting.answerDue());
        assertEquals(SIZE, connecting.peerBytes());
        assertTrue(connecting.want(8192), "it may ask again");

        Resizing later = asking(8192); // the peer had our request
        later.onRequest(9000, false, 5, 10, out);
        assertTrue(later.answerDue());
        assertEquals(8192, later.peerBytes());
        assertFalse(later.want(9000), "ours will be answered, too");
    }
}
