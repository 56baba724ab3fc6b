package io.sdp4j.stream;

/** Asynchronous channels that lend every direct buffer. */
class SdpZcopyAioTest extends SdpAioContract {
    SdpZcopyAioTest() {
        super(true);
    }
}
