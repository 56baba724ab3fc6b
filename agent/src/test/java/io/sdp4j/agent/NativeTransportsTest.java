package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The thread that looks for native transports ends with the JVM, in silence. */
final class NativeTransportsTest {
    /** While a JVM ends it names no classes any more: its answer is null. */
    @Test
    void anEndingJvmIsNoError() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        looks(
                asked,
                () -> {
                    asked.countDown();
                    return null;
                });
    }

    @Test
    void shortOfMemoryItLooksAgain() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        looks(
                asked,
                () -> {
                    asked.countDown();
                    throw new OutOfMemoryError("test");
                });
    }

    private static void looks(CountDownLatch asked, Supplier<Class<?>[]> classes) throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        URL shim = Path.of("target/layout/").toUri().toURL();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {shim}, null)) {
            Constructor<?> make =
                    loader.loadClass("io.sdp4j.shim.NativeTransports")
                            .getDeclaredConstructor(Supplier.class);
            make.setAccessible(true);
            Thread t = (Thread) make.newInstance(classes);
            t.setUncaughtExceptionHandler((_, e) -> thrown.set(e));
            t.start();
            assertTrue(asked.await(20, TimeUnit.SECONDS));
            t.interrupt();
            assertTrue(t.join(java.time.Duration.ofSeconds(20)));
        }
        assertTrue(thrown.get() == null, () -> "thrown: " + thrown.get());
    }
}
