/** RC queue pairs: the SPI every fabric implements, the shared-memory fabric, and real verbs. */
module io.sdp4j.rdma {
    // optional: small images lack it; without native access nobody's uid is known then
    requires static jdk.net;

    exports io.sdp4j.rdma;
    exports io.sdp4j.rdma.shm;
    exports io.sdp4j.rdma.verbs;
}
