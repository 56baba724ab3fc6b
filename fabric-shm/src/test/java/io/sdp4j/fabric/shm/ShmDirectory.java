package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A directory of its own for each test, whose fabrics may throw nothing. */
@Timeout(120)
abstract class ShmDirectory {
    static final QpSpec SPEC = new QpSpec(8, 1024, 8);
    Path dir;

    @BeforeEach
    void makeDirectory() throws IOException {
        dir = Ends.directory();
    }

    @AfterEach
    void removeDirectory() throws IOException {
        Ends.remove(dir);
        assertEquals(List.of(), List.copyOf(Ends.THROWN));
    }

    static ConnectRequest request(InetSocketAddress to) {
        return Ends.request(to, SPEC);
    }

    final List<String> names() throws IOException {
        Path meeting = Ends.meeting(dir);
        if (!Files.exists(meeting)) {
            return List.of();
        }
        try (var files = Files.list(meeting)) {
            return files.map(p -> p.getFileName().toString()).toList();
        }
    }

    static Completion next(QueuePair qp) {
        Completion c = new Completion();
        while (!qp.completions().poll(c)) {
            qp.completions().await(TimeUnit.SECONDS.toNanos(20));
        }
        return c;
    }
}
