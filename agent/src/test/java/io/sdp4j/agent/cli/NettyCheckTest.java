package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the look at a class path finds what it is for, or says that it saw nothing. */
class NettyCheckTest {
    @TempDir private Path folder;

    private static void put(ZipOutputStream out, String name) throws IOException {
        out.putNextEntry(new ZipEntry(name));
        out.closeEntry();
    }

    @Test
    void findsLibrariesInJarsInAJar() throws IOException {
        Path app = folder.resolve("app.jar");
        try (OutputStream file = Files.newOutputStream(app);
                ZipOutputStream out = new ZipOutputStream(file)) {
            put(out, "org/springframework/boot/loader/Launcher.class");
            out.putNextEntry(new ZipEntry("BOOT-INF/lib/netty-linux-x86_64.jar"));
            ZipOutputStream inner = new ZipOutputStream(out);
            put(inner, "META-INF/native/libnetty_transport_native_epoll_x86_64.so");
            inner.finish();
        }
        Check check = NettyCheck.of(app.toString());
        assertEquals(Check.Verdict.WARN, check.verdict());
        assertTrue(check.found().startsWith("app.jar"), check.found());
        assertTrue(check.advice().endsWith(" -Dio.netty.transport.noNative=true"), check.advice());
    }

    @Test
    void aClassPathWithoutJarsIsTold() {
        for (String path : new String[] {folder.toString(), folder + "/*", folder + "/no.jar"}) {
            Check check = NettyCheck.of(path);
            assertEquals(Check.Verdict.WARN, check.verdict(), path);
            assertTrue(check.found().contains("no jar in "), check.found());
        }
    }

    @Test
    void whatCannotBeAFileIsTold() {
        Unavailable told = assertThrows(Unavailable.class, () -> NettyCheck.of("a\0b/*"));
        assertTrue(told.getMessage().startsWith("--class-path=a"), told.getMessage());
    }
}
