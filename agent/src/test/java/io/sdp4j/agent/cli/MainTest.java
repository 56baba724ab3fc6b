package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Goal: the codes that scripts are promised, where no command of ours gives them at will. */
class MainTest {
    /** Has a fault. */
    @Command(name = "faulty")
    private static final class Faulty implements Callable<Integer> {
        @Override
        public Integer call() {
            throw new IllegalStateException("meant to fail");
        }
    }

    @Test
    void aFaultEndsWith70AndItsTrace() {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream err = System.err;
        System.setErr(new PrintStream(told, true, Charset.defaultCharset()));
        try {
            // made after the stream was set: picocli would put an older one in its place
            CommandLine line = Main.line().addSubcommand(new Faulty());
            assertEquals(70, Main.run(line, new String[] {"faulty"}));
        } finally {
            System.setErr(err);
        }
        String text = told.toString(Charset.defaultCharset());
        assertTrue(text.contains("IllegalStateException: meant to fail"), text);
        assertTrue(text.contains("at " + Faulty.class.getName()), text);
    }
}
