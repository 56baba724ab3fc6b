package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;

/**
 * A Kafka node that is broker and controller: records, each acknowledged before the next, by one
 * producer for all at once.
 */
final class KafkaApp implements App {
    private static final String TOPIC = "records";

    @Override
    public int serve() throws IOException {
        Path folder = WorkFolder.create("kafka");
        int port = Place.freePort();
        Properties settings = settings(port, Place.freePort(), folder.resolve("data"));
        Path file = folder.resolve("server.properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            settings.store(out, null);
        }
        String[] format = {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()};
        if (StorageTool.execute(format, new PrintStream(OutputStream.nullOutputStream())) != 0) {
            throw new IOException("Kafka did not format its folder");
        }
        new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM).startup();
        return port;
    }

    private static Properties settings(int port, int controller, Path data) throws IOException {
        String host = Place.here().getHostAddress();
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@" + host + ":" + controller);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put(
                "listeners",
                "PLAINTEXT://" + host + ":" + port + ",CONTROLLER://" + host + ":" + controller);
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("log.dirs", data.toString());
        settings.put("log.cleaner.enable", "false"); // it takes 128 MiB
        return settings;
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws Exception {
        String at = Place.here().getHostAddress() + ":" + port;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", at))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
        }
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers",
                                at,
                                "linger.ms", // else it waits for more records than there are
                                "0"),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
        byte[] value = new byte[bytes];
        for (int i = 0; i < atOnce; i++) {
            tally.repeat(() -> producer.send(new ProducerRecord<>(TOPIC, value)).get());
        }
    }
}
