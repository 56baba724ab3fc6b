package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Commands;
import io.sdp4j.bench.net.Usage;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The measuring JVM: {@code AppsClient PORT,PID} of the answering one, then one command on standard
 * input: {@code PROGRAM BYTES AT_ONCE}, a number that is not used, and the milliseconds to measure.
 *
 * <p>The time begins with the client's first connection. If it is {@value #WHOLE} seconds, the
 * answer has of the first {@value #FIRST} as {@code requests-first} and so on, of the next until
 * {@value #NEXT} as {@code requests-next}, and of those from {@value #LAST} on as {@code
 * requests-last}, else of as large parts of it: {@code requests} a second; {@code p50} and {@code
 * p99} nanoseconds that one took; {@code cpu} nanoseconds of processor time that both JVMs have
 * used for each.
 */
public final class AppsClient implements Commands.Handler {
    private static final int FIRST = 5;
    private static final int NEXT = 20;
    private static final int LAST = 30;
    private static final int WHOLE = 36;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final int port;
    private final long serverPid;

    private AppsClient(String target) {
        port = Integer.parseInt(target.substring(0, target.indexOf(',')));
        serverPid = Long.parseLong(target.substring(target.indexOf(',') + 1));
    }

    public static void main(String[] args) throws IOException {
        Commands.obey(new AppsClient(args[0]));
    }

    @Override
    public String obey(String command, int[] n) throws Exception {
        Tally tally = new Tally();
        long startNanos = System.nanoTime();
        Moment start = now(tally);
        App.named(command).load(port, n[0], n[1], tally);
        long partNanos = n[3] * 1_000_000L / WHOLE;
        Moment first = end(tally, start, startNanos + FIRST * partNanos);
        Moment next = end(tally, first, startNanos + NEXT * partNanos);
        Moment last = end(tally, next, startNanos + LAST * partNanos);
        Moment end = end(tally, last, startNanos + WHOLE * partNanos);
        return String.join(
                " ",
                text("first", start, first),
                text("next", first, next),
                text("last", last, end));
    }

    /** Ends a phase at {@code nanoTime}, or with its first answer if that comes later. */
    private Moment end(Tally tally, Moment begin, long nanoTime)
            throws IOException, InterruptedException {
        sleepUntil(nanoTime);
        Moment end = now(tally);
        while (end.since(begin).getTotalCount() == 0 && end.nanoTime - nanoTime < PATIENCE_NANOS) {
            if (tally.failure() != null) {
                break;
            }
            Thread.sleep(1);
            end = now(tally);
        }
        if (tally.failure() != null) {
            throw new IOException(tally.failure());
        }
        return end;
    }

    private record Moment(long nanoTime, long cpuNanos, Histogram counts) {
        Histogram since(Moment earlier) {
            Histogram later = counts.copy();
            later.subtract(earlier.counts);
            return later;
        }
    }

    private Moment now(Tally tally) {
        return new Moment(
                System.nanoTime(),
                Usage.cpuNanos() + Usage.processNanos(serverPid),
                tally.counts());
    }

    private static String text(String phase, Moment from, Moment to) throws IOException {
        Histogram counts = to.since(from);
        long total = counts.getTotalCount();
        if (total == 0) {
            throw new IOException("no answer, " + phase);
        }
        return String.format(
                Locale.ROOT,
                "requests-%1$s=%2$.2f p50-%1$s=%3$d p99-%1$s=%4$d cpu-%1$s=%5$.0f",
                phase,
                total * 1e9 / (to.nanoTime - from.nanoTime),
                counts.getValueAtPercentile(50),
                counts.getValueAtPercentile(99),
                (double) (to.cpuNanos - from.cpuNanos) / total);
    }

    private static void sleepUntil(long nanoTime) throws InterruptedException {
        long left = nanoTime - System.nanoTime();
        if (left > 0) {
            Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
        }
    }
}
