package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.JvmCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a program that catches an overflow of the stack over TCP catches it here, too. Method: a
 * JVM whose system calls go through method handles, interpreted: these need most of the stack.
 */
@Timeout(60)
final class FullStackTest {
    @ParameterizedTest
    @ValueSource(strings = {"call", "quietly", "cpu"})
    void itsErrorStaysWhatItIs(String how, @TempDir Path folder) throws Exception {
        Path output = folder.resolve("output");
        String classes = JvmCommand.placesOf(DirectCalls.class); // of a module here
        Process jvm =
                JvmCommand.of(Deep.class, how)
                        .options("-Xint", "--enable-native-access=ALL-UNNAMED")
                        .classPath(classes + ":" + JvmCommand.testClassPath())
                        .builder()
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            assertTrue(jvm.waitFor(50, TimeUnit.SECONDS), "it hangs");
            assertEquals("class java.lang.StackOverflowError", Files.readString(output).strip());
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** Calls deeper and deeper, and prints the class of the error that ends it. */
    static final class Deep {
        private Deep() {}

        public static void main(String[] args) {
            Class<?> thrown = DirectCalls.class;
            long _ = call(args[0]); // binds the handles
            try {
                long _ = deeper(args[0], DirectCalls.CALLS == null ? 1 : Integer.MAX_VALUE);
            } catch (Error e) {
                thrown = e.getClass();
            }
            System.out.println(thrown);
        }

        private static long deeper(String how, int depth) {
            return depth == Integer.MAX_VALUE ? 0 : call(how) + deeper(how, depth + 1);
        }

        private static long call(String how) {
            return switch (how) {
                case "call" -> Linux.call(Linux.CLOSE, -1, 0, 0);
                case "quietly" -> Linux.callQuietly(Linux.CLOSE, -1, 0, 0, 0, 0, 0);
                default -> Linux.cpu();
            };
        }
    }
}
