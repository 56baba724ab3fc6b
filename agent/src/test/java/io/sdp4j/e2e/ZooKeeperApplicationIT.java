package io.sdp4j.e2e;

/** ZooKeeper and its client. */
class ZooKeeperApplicationIT extends ChannelApplicationContract {
    ZooKeeperApplicationIT() {
        super(ChannelApplication.ZOOKEEPER);
    }
}
