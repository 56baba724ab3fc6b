package io.sdp4j.bench.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Arrays;

/**
 * How a measuring JVM is spoken to: one command a line on standard input, a word and numbers, and
 * one answer a line on standard output, {@code ok name=value …} or {@code failed …}.
 */
public final class Commands {
    /** Carries the commands out. */
    public interface Handler {
        /** The answer to one command, without the {@code ok}. */
        String obey(String command, int[] numbers) throws Exception;
    }

    private Commands() {}

    /** Says that it is ready, answers until standard input ends, and ends the JVM. */
    public static void obey(Handler handler) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        System.out.println("READY");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                String[] words = line.split(" ", -1);
                int[] numbers = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
                answer = "ok " + handler.obey(words[0], numbers);
            } catch (Exception failure) {
                failure.printStackTrace();
                answer = "failed " + failure.toString().replace('\n', ' ');
            }
            System.out.println(answer);
        }
        System.exit(0);
    }
}
