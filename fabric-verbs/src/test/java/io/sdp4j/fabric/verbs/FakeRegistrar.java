package io.sdp4j.fabric.verbs;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Registers nothing, counts everything, and has a limit of locked memory. */
final class FakeRegistrar implements SlabPool.Registrar {
    private static final int ENOMEM = 12;

    private final long limitBytes;
    private final Map<Long, MemorySegment> live = new HashMap<>();
    private long bytes;
    private long next = 1;
    private int calls;

    FakeRegistrar(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Of 1,000 bytes, mapped for as long as it can be reached. */
    static MemorySegment mappedFile(Path directory) throws IOException {
        try (FileChannel file =
                FileChannel.open(directory.resolve("mapped"), CREATE, READ, WRITE)) {
            return MemorySegment.ofBuffer(file.map(FileChannel.MapMode.READ_WRITE, 0, 1000));
        }
    }

    @Override
    public long register(MemorySegment memory) {
        calls++;
        if (memory.byteSize() > limitBytes - bytes) {
            return -ENOMEM;
        }
        bytes += memory.byteSize();
        live.put(next, memory);
        return next++;
    }

    @Override
    public int lkey(long registration) {
        return (int) registration;
    }

    @Override
    public void deregister(long registration) {
        MemorySegment gone = live.remove(registration);
        if (gone == null) {
            throw new AssertionError("deregistered twice");
        }
        bytes -= gone.byteSize();
    }

    int calls() {
        return calls;
    }

    int live() {
        return live.size();
    }
}
