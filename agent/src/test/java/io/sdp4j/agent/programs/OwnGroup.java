package io.sdp4j.agent.programs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs other programs in a thread group of its own, one of them in a virtual thread. Prints the
 * names of sdp4j's threads that were in a group of the program's meanwhile, and of others.
 */
public final class OwnGroup {
    private OwnGroup() {}

    public static void main(String[] args) throws Exception {
        ThreadGroup main = Thread.currentThread().getThreadGroup();
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread work = new Thread(new ThreadGroup("own"), () -> work(failure));
        Set<String> inside = new TreeSet<>();
        Set<String> outside = new TreeSet<>();
        work.start();
        do {
            note(main, inside, outside);
            Thread.sleep(1);
        } while (work.isAlive());
        if (failure.get() != null) {
            throw failure.get();
        }
        System.out.println("inside=" + inside);
        System.out.println("outside=" + outside);
    }

    private static void note(ThreadGroup main, Set<String> inside, Set<String> outside) {
        Thread[] threads = new Thread[1000];
        int n = main.getParent().enumerate(threads);
        for (Thread t : Arrays.copyOf(threads, n)) {
            ThreadGroup group = t.getThreadGroup(); // null = it has ended
            if (group != null && t.getName().startsWith("sdp4j-")) {
                (main.parentOf(group) ? inside : outside).add(t.getName());
            }
        }
    }

    private static void work(AtomicReference<Exception> failure) {
        try {
            OneConnection.main(new String[0]);
            OneChannel.main(new String[0]);
            AsyncConnection.main(new String[0]);
            Thread.ofVirtual().start(OwnGroup::connect).join();
        } catch (Exception e) {
            failure.set(e);
        }
    }

    private static void connect() {
        try {
            OneConnection.main(new String[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
