/** RC queue pairs over shared memory, within one host. */
@SuppressWarnings("module") // those that may use it are built after it
module io.sdp4j.fabric.shm {
    requires transitive io.sdp4j.fabric;
    requires transitive io.sdp4j.linux;
    requires transitive io.sdp4j.policy;

    exports io.sdp4j.fabric.shm to
            io.sdp4j,
            io.sdp4j.agent;
}
