package io.sdp4j.policy;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Files in memory; each write gets a new time stamp. Counts how often it is asked. */
final class FakeFiles implements Environment.FileAccess {
    private record Entry(String text, long writtenNanos) {}

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private long writes;
    final AtomicInteger stamps = new AtomicInteger();
    final AtomicInteger reads = new AtomicInteger();
    volatile Runnable beforeRead = () -> {};

    void write(String file, String text) {
        entries.put(file, new Entry(text, ++writes));
    }

    void delete(String file) {
        entries.remove(file);
    }

    private Entry entry(String file) throws IOException {
        Entry entry = entries.get(file);
        if (entry == null) {
            throw new NoSuchFileException(file);
        }
        return entry;
    }

    @Override
    public Environment.Stamp stamp(String file) throws IOException {
        stamps.incrementAndGet();
        Entry entry = entry(file);
        return new Environment.Stamp(entry.writtenNanos, entry.text.length(), null);
    }

    @Override
    public String read(String file) throws IOException {
        reads.incrementAndGet();
        beforeRead.run();
        return entry(file).text;
    }
}
