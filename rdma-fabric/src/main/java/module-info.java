/** RC queue pairs: the SPI every fabric implements, and the shared-memory fabric. */
module io.sdp4j.rdma {
    requires jdk.net;

    exports io.sdp4j.rdma;
    exports io.sdp4j.rdma.shm;
}
