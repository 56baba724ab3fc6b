package io.sdp4j.stream;

/** Asynchronous channels over shared memory. */
class SdpAioTest extends SdpAioContract {
    SdpAioTest() {
        super(false);
    }
}
