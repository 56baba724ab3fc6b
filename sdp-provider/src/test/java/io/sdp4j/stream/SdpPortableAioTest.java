package io.sdp4j.stream;

/** Asynchronous channels over shared memory in the pure-Java mode. */
class SdpPortableAioTest extends SdpAioContract {
    SdpPortableAioTest() {
        super(false);
    }
}
