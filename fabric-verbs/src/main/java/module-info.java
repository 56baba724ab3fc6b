/** RC queue pairs of RDMA devices, over verbs. */
@SuppressWarnings("module") // those that may use it are built after it
module io.sdp4j.fabric.verbs {
    requires transitive io.sdp4j.fabric;
    requires transitive io.sdp4j.linux;
    requires transitive io.sdp4j.policy;

    exports io.sdp4j.fabric.verbs to
            io.sdp4j;
}
