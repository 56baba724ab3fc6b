package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/**
 * A Kafka node that is broker and controller, so that it has connections to itself. Arguments: the
 * ports and an existing folder for its data. Two listeners for clients, one for the controller.
 */
public final class KafkaBroker {
    private KafkaBroker() {}

    /** Formats the folder and serves until it is ended. */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[1]);
        Properties settings = settings(args[0], folder.resolve("data"));
        Path file = folder.resolve("server.properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            settings.store(out, null);
        }
        int formatted =
                StorageTool.execute(
                        new String[] {
                            "format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()
                        },
                        System.out);
        if (formatted != 0) {
            System.exit(formatted);
        }
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM);
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
        server.startup();
        System.out.println("READY");
        server.awaitShutdown();
    }

    private static Properties settings(String argument, Path data) {
        List<Integer> ports = Listening.ports(argument);
        int controller = Listening.inner(argument);
        String host = Listening.host(argument);
        String forClients =
                "FIRST://%s:%d,SECOND://%s:%d"
                        .formatted(host, ports.getFirst(), host, ports.getLast());
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@" + host + ":" + controller);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("listeners", forClients + ",CONTROLLER://" + host + ":" + controller);
        settings.put("advertised.listeners", forClients);
        settings.put("inter.broker.listener.name", "FIRST");
        settings.put(
                "listener.security.protocol.map",
                "FIRST:PLAINTEXT,SECOND:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("log.dirs", data.toString());
        settings.put("log.cleaner.enable", "false"); // it takes 128 MiB
        settings.put("log.retention.ms", "-1"); // the records say that they are old
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        return settings;
    }
}
