package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The selector of a {@link RandomProgram}, and the steps about it and its keys. */
final class ProgramSelector implements AutoCloseable {
    private final NioChannels on;
    private final Random random;
    private final ProgramTrace trace;
    private final List<End> ends;
    private Selector selector;

    /**
     * @param ends those that the program has at the time
     */
    ProgramSelector(NioChannels on, Random random, ProgramTrace trace, List<End> ends)
            throws IOException {
        this.on = on;
        this.random = random;
        this.trace = trace;
        this.ends = ends;
        selector = on.provider().openSelector();
    }

    /** The one of now. */
    Selector selector() {
        return selector;
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }

    void register(End e) {
        int ops = random.nextInt(4) * OP_READ;
        int interest = (ops & 1) * OP_READ | (ops >> 1 & 1) * OP_WRITE;
        trace.log(
                e.name + " register " + interest,
                () -> {
                    SelectionKey key = e.channel.register(selector, interest, e.name);
                    boolean same = key == e.key;
                    e.key = key;
                    return same + " " + key.interestOps();
                });
    }

    void cancel(End e) {
        if (e.key != null) {
            e.key.cancel();
            trace.log(e.name + " cancel", () -> e.key.isValid() + " " + e.channel.isRegistered());
            if (random.nextBoolean()) {
                trace.log(e.name + " again", () -> again(e));
            }
        }
    }

    private boolean again(End e) throws IOException {
        SelectionKey old = e.key;
        e.key = e.channel.register(selector, OP_READ);
        return e.key == old;
    }

    void select() throws Exception {
        String expected = expected();
        String[] seen = {""};
        trace.await(
                expected,
                () -> {
                    seen[0] = ProgramTrace.outcome(this::ready);
                    return seen[0].equals(expected);
                });
        trace.add("select -> " + seen[0] + " of " + selector.keys().size());
    }

    private String expected() {
        TreeMap<String, Integer> all = new TreeMap<>();
        for (End e : ends) {
            if (e.key != null && e.key.isValid() && e.key.selector() == selector) {
                int ops = e.key.interestOps() & e.readyOps();
                if (ops != 0) {
                    all.put(e.name, ops);
                }
            }
        }
        return all.toString();
    }

    private String ready() throws IOException {
        TreeMap<String, Integer> all = new TreeMap<>();
        selector.selectedKeys().clear();
        selector.selectNow();
        for (End e : ends) {
            if (e.key != null && selector.selectedKeys().contains(e.key)) {
                all.put(e.name, e.key.readyOps());
            }
        }
        return all.toString();
    }

    void wakeUp() {
        trace.log("wakeup", () -> selector.wakeup().selectNow() >= 0);
    }

    void renew() throws IOException {
        Selector old = selector;
        old.close();
        trace.log("old selector", old::selectNow);
        selector = on.provider().openSelector();
        for (End e : ends) {
            if (e.key != null) {
                trace.add(e.name + " key " + e.key.isValid() + " " + e.channel.isRegistered());
                e.key = null;
            }
        }
    }

    /** A thread in a selection, and one of the things that wake it. */
    void block() throws Exception {
        if (!expected().equals("{}")) {
            return;
        }
        selector.selectNow();
        selector.selectedKeys().clear();
        Task.Kind kind = random.nextBoolean() ? Task.Kind.PLATFORM : Task.Kind.VIRTUAL;
        AtomicBoolean told = new AtomicBoolean();
        Task<String> selecting =
                Task.start(
                        kind,
                        () ->
                                ProgramTrace.outcome(() -> selectUntil(told))
                                        + " "
                                        + Thread.currentThread().isInterrupted());
        try {
            selecting.awaitBlocked(1); // what ends a selection also ends one that begins later
        } catch (AssertionError early) {
            throw new AssertionError(selecting.get() + " " + expected() + ready(), early);
        }
        boolean interrupt = random.nextBoolean();
        if (interrupt) {
            selecting.thread().interrupt();
        } else {
            told.set(true);
            selector.wakeup();
        }
        trace.add("blocked select, " + interrupt + " -> " + selecting.get());
    }

    /** Until it is told to end; a late wake-up may end a selection early. */
    private int selectUntil(AtomicBoolean told) throws IOException {
        for (int early = 0; ; early++) {
            int found = selector.select(20_000);
            if (found != 0 || told.get() || Thread.currentThread().isInterrupted()) {
                return found;
            }
            assertTrue(on.wakesForNothing() && early < 3, "it does not wait");
        }
    }
}
