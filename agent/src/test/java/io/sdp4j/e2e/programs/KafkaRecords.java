package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A Kafka producer and a consumer in a group: writes records at one port of the broker and reads
 * them back at the other, then the other way round. Arguments: the ports and how many records, half
 * of which go each way.
 *
 * <p>Every record is compared in key, value, header and time; all of them go into one digest.
 */
public final class KafkaRecords {
    private static final int PARTITIONS = 3;
    private static final int VALUE_BYTES = 100;
    private static final long LIMIT_NANOS = 120_000_000_000L;
    private static final byte[] VALUES = Pattern.bytes(1 << 20);

    private final String host;
    private final String topic;
    private final int records;

    private KafkaRecords(String host, String topic, int records) {
        this.host = host;
        this.topic = topic;
        this.records = records;
    }

    /** Writes, reads, prints. */
    public static void main(String[] args) throws Exception {
        List<Integer> ports = Listening.ports(args[0]);
        int records = Integer.parseInt(args[1]) / ports.size();
        int visits = 0;
        for (int from : ports) {
            int to = ports.getFirst() + ports.getLast() - from;
            Visit visit = new Visit(++visits);
            // other clients of the same broker have theirs
            String topic = "records-" + ProcessHandle.current().pid() + "-" + visits;
            new KafkaRecords(Listening.host(args[0]), topic, records).run(visit, from, to);
        }
    }

    private void run(Visit visit, int from, int to) throws Exception {
        try (Admin admin = Admin.create(at(from))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
        }
        write(from);
        read(visit, to);
    }

    private Map<String, Object> at(int port) {
        return Map.of("bootstrap.servers", host + ":" + port);
    }

    private static Map<String, Object> with(Map<String, Object> one, Map<String, Object> more) {
        Map<String, Object> both = new HashMap<>(one);
        both.putAll(more);
        return both;
    }

    private void write(int port) throws Exception {
        List<Future<?>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        at(port), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>(topic, i % PARTITIONS, time(i), key(i), value(i));
                record.headers().add("n", header(i));
                Future<?> one = producer.send(record);
                sent.add(one);
                if (i < PARTITIONS) {
                    // A broker that still makes a partition refuses its first batch and may take
                    // the second, after which it refuses the first for good.
                    one.get();
                }
            }
        }
        for (Future<?> one : sent) {
            one.get();
        }
    }

    private void read(Visit visit, int port) {
        long[] next = new long[PARTITIONS]; // offset
        int right = 0;
        int wrong = 0;
        MessageDigest[] digests = new MessageDigest[PARTITIONS];
        Arrays.setAll(digests, i -> sha256());
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        with(at(port), Map.of("group.id", topic, "auto.offset.reset", "earliest")),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            long start = System.nanoTime();
            while (right + wrong < records && System.nanoTime() - start < LIMIT_NANOS) {
                for (ConsumerRecord<byte[], byte[]> record :
                        consumer.poll(Duration.ofMillis(500))) {
                    int partition = record.partition();
                    if (record.offset() < next[partition]) {
                        continue; // given again, as a group does that was formed anew
                    }
                    boolean same = isRecord((int) next[partition] * PARTITIONS + partition, record);
                    right += same ? 1 : 0;
                    wrong += same ? 0 : 1;
                    next[partition]++;
                    digests[partition].update(record.key());
                    digests[partition].update(record.value());
                }
            }
            consumer.commitSync();
        }
        visit.tell("right", right == records && wrong == 0);
        visit.tell("records", right);
        visit.tell("wrong", wrong);
        for (int i = 0; i < PARTITIONS; i++) {
            visit.tell("digest." + i, HexFormat.of().formatHex(digests[i].digest()));
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static boolean isRecord(int i, ConsumerRecord<byte[], byte[]> record) {
        return record.timestamp() == time(i)
                && Arrays.equals(key(i), record.key())
                && Arrays.equals(value(i), record.value())
                && Arrays.equals(header(i), record.headers().lastHeader("n").value());
    }

    private static long time(int i) {
        return 1_700_000_000_000L + i;
    }

    private static byte[] key(int i) {
        return Integer.toString(i).getBytes(US_ASCII);
    }

    private static byte[] header(int i) {
        return Integer.toHexString(i).getBytes(US_ASCII);
    }

    private static byte[] value(int i) {
        int at = (int) (i * 31L % (VALUES.length - VALUE_BYTES));
        return Arrays.copyOfRange(VALUES, at, at + VALUE_BYTES);
    }
}
