package io.sdp4j.bench.apps;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.sdp4j.bench.net.Place;
import java.io.IOException;

/** A cluster of one Hazelcast member: reads of one entry, in a client for each at once. */
final class HazelcastApp implements App {
    private static final String MAP = "map";
    private static final String KEY = "key";

    @Override
    public int serve() throws IOException {
        Config config = new Config();
        config.setProperty("hazelcast.logging.type", "none");
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.socket.bind.any", "false");
        int port = Place.freePort();
        NetworkConfig network = config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        network.getInterfaces().setEnabled(true).addInterface(Place.here().getHostAddress());
        network.getJoin().getMulticastConfig().setEnabled(false);
        network.getJoin().getAutoDetectionConfig().setEnabled(false);
        Hazelcast.newHazelcastInstance(config);
        return port;
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws IOException {
        ClientConfig config = new ClientConfig();
        config.setProperty("hazelcast.logging.type", "none");
        config.getNetworkConfig().addAddress(Place.here().getHostAddress() + ":" + port);
        for (int i = 0; i < atOnce; i++) {
            HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
            IMap<String, byte[]> map = client.getMap(MAP);
            if (i == 0) {
                map.set(KEY, new byte[bytes]);
            }
            tally.repeat(() -> read(map, bytes));
        }
    }

    private static void read(IMap<String, byte[]> map, int bytes) throws IOException {
        if (map.get(KEY).length != bytes) {
            throw new IOException("not what was written");
        }
    }
}
