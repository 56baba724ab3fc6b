package io.sdp4j.stream;

/** Asynchronous channels over shared memory with native calls. */
class SdpAioTest extends SdpAioContract {
    SdpAioTest() {
        super(true);
    }
}
