package io.sdp4j.policy;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PolicySourceTest {
    private static final String TCP = "use tcp connect * *:*\n";
    private static final String SDP = "use sdp connect * *:*\n";
    private static final List<AddressRange> SECOND =
            List.of(AddressRange.of(InetAddress.ofLiteral("10.0.0.2")));
    private static final String BAD = "use tcp connect * *:*\nuse what\nuse\n";

    private final FakeFiles files = new FakeFiles();
    private final Map<String, String> properties = new HashMap<>();
    private final Map<String, String> variables = new HashMap<>();
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5); // wraps at once
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, List<AddressRange>> hosts = new ConcurrentHashMap<>();
    private final Environment environment = with(h -> hosts.getOrDefault(h, List.of()));

    private Environment with(HostLookup answering) {
        return new Environment(properties::get, variables::get, files, clock::get, answering);
    }

    private PolicySource open(String explicit, String jdkConf) {
        return open(explicit, jdkConf, false, environment);
    }

    private PolicySource open(String explicit, String jdkConf, boolean required, Environment of) {
        return PolicySource.open(
                explicit, jdkConf, required, "p", of, PolicySource.ANSWER_NANOS, lines::add, null);
    }

    /** A source that goes on from the other one. */
    private PolicySource after(PolicySource source, String explicit) {
        return PolicySource.open(
                explicit,
                null,
                false,
                "p",
                environment,
                PolicySource.ANSWER_NANOS,
                lines::add,
                source.state());
    }

    private static Verdict verdict(PolicySource source) {
        return verdict(source, 0x0a000001);
    }

    private static Verdict verdict(PolicySource source, int address) {
        return source.get().decide(Role.CONNECT, false, 0, address, 80).verdict();
    }

    private void passSecond() {
        clock.addAndGet(PolicySource.CHECK_NANOS);
    }

    @Test
    void placesAreTriedInOrder() {
        List<String> all =
                List.of(
                        "explicit",
                        "property",
                        "variable",
                        "libsdp",
                        "jdk",
                        RuleFileChoice.LIBSDP_FILE);
        all.forEach(f -> files.write(f, TCP));
        properties.put("sdp4j.policy", "property");
        variables.put("SDP4J_POLICY", "variable");
        variables.put("LIBSDP_CONFIG_FILE", "libsdp");
        assertEquals("explicit", open("explicit", "jdk").file());
        assertEquals("property", open(null, "jdk").file());
        properties.put("sdp4j.policy", " ");
        assertEquals("variable", open("", "jdk").file());
        variables.remove("SDP4J_POLICY");
        assertEquals("libsdp", open(null, "jdk").file());
        variables.remove("LIBSDP_CONFIG_FILE");
        assertEquals("jdk", open(null, "jdk").file());
        assertEquals(RuleFileChoice.LIBSDP_FILE, open(null, null).file());
        files.delete(RuleFileChoice.LIBSDP_FILE);
        PolicySource none = open(null, null);
        assertNull(none.file());
        assertEquals(Verdict.OFFLOAD_FIRST, verdict(none));
        assertTrue(none.origin().contains("no rule file"));
        assertEquals(List.of(), lines);
    }

    @Test
    void aFileForTheJdkMaySayNothing() {
        files.write("jdk", "# empty\n");
        assertEquals(Verdict.KERNEL, verdict(open(null, "jdk")));
        assertEquals(Verdict.OFFLOAD_FIRST, verdict(open("jdk", null)));
    }

    @Test
    void aBadFileAtStartIsOneLineAndTheKernel() {
        files.write("f", BAD);
        PolicySource source = open("f", null);
        assertEquals(Verdict.KERNEL, verdict(source));
        assertEquals(
                List.of(
                        "sdp4j: rule file refused: f:2:5: found 'what', expected one of both, tcp, sdp, direct"
                                + " (1 more); every connection uses kernel TCP"),
                lines);
        Decision decision = source.get().decide(Role.LISTEN, false, 0, 0, 0);
        assertTrue(decision.rule().contains("f:2:5"), decision.rule());
        assertEquals(0, source.generation());
        assertTrue(decision.lacksRules());
        assertTrue(source.get().canOffload(Role.CONNECT), "else no channel would be counted");
        files.write("f", BAD + "use\n");
        passSecond();
        source.get();
        assertEquals(
                "sdp4j: new rule file refused; every connection uses kernel TCP", lines.getLast());
        files.write("f", SDP);
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source), "mended later");
    }

    @Test
    void aMissingFileThatWasNamedIsALineAndTheKernel() {
        properties.put("sdp4j.policy", "gone");
        assertEquals(Verdict.KERNEL, verdict(open(null, null)));
        assertEquals(
                List.of(
                        "sdp4j: rule file refused: gone (system property sdp4j.policy) does not exist;"
                                + " every connection uses kernel TCP"),
                lines);
    }

    @Test
    void aChangeIsSeenAfterASecondAndTheFileIsNotAskedMoreOften() {
        files.write("f", TCP);
        PolicySource source = open("f", null);
        Policy old = source.get();
        files.write("f", SDP);
        int asked = files.stamps.get();
        for (int i = 0; i < 100; i++) {
            assertSame(old, source.get());
        }
        assertEquals(asked, files.stamps.get());
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
        assertEquals(2, source.generation());
        assertEquals(Verdict.KERNEL, old.decide(Role.CONNECT, false, 0, 1, 1).verdict());
        int reads = files.reads.get();
        for (int i = 0; i < 10; i++) {
            passSecond();
            source.get();
        }
        assertEquals(reads, files.reads.get(), "an unchanged file is not read again");
        assertEquals(List.of(), lines);
    }

    @Test
    void aBadNewFileKeepsTheOldRulesAndIsReportedOnce() {
        files.write("f", TCP);
        PolicySource source = open("f", null);
        Policy old = source.get();
        files.write("f", BAD);
        for (int i = 0; i < 5; i++) {
            passSecond();
            assertSame(old, source.get());
        }
        assertEquals(3, lines.size(), () -> lines + "");
        assertTrue(lines.get(0).startsWith("sdp4j: f:2:5: found 'what'"), lines.get(0));
        assertEquals("sdp4j: new rule file refused; the rules loaded before stay", lines.get(2));
        files.write("f", SDP);
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
    }

    @Test
    void aFileThatGoesAwayKeepsTheOldRulesAndIsReportedOnce() {
        files.write("f", TCP);
        PolicySource source = open("f", null);
        files.delete("f");
        for (int i = 0; i < 5; i++) {
            passSecond();
            assertEquals(Verdict.KERNEL, verdict(source));
        }
        assertEquals(2, lines.size(), () -> lines + "");
        files.write("f", SDP);
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
    }

    @Test
    void unknownHostsAreReported() {
        files.write("f", "use sdp connect * nowhere.example:80\n");
        open("f", null);
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains("'nowhere.example' is unknown"), lines.getFirst());
    }

    /** Goal: an editor that truncates the file first never opens a moment without rules. */
    @Test
    void anEmptiedFileKeepsTheRulesAndIsReportedOnce() {
        files.write("f", SDP);
        PolicySource source = open("f", null);
        files.write("f", "");
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains("has no rule any more"), lines.getFirst());
        files.write("f", TCP);
        passSecond();
        assertEquals(Verdict.KERNEL, verdict(source), "written at last");
    }

    /** Goal: while a host is unknown its rule refuses; once it is known it holds for it alone. */
    @Test
    void anUnknownHostIsLookedUpAgainAndRefusesMeanwhile() throws Exception {
        files.write("f", "use sdp connect * far.example:80\nuse tcp connect * *:*\n");
        PolicySource source = open("f", null);
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source), "it could be that address");
        assertEquals(
                Verdict.KERNEL,
                source.get().decide(Role.CONNECT, false, 0, 0x0a000001, 81).verdict());
        assertEquals(1, source.get().lint().size());
        hosts.put("far.example", SECOND);
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source), "not asked all the time");
        clock.addAndGet(PolicySource.LOOK_UP_NANOS);
        await().until(() -> verdict(source) == Verdict.KERNEL);
        assertEquals(
                Verdict.OFFLOAD_ONLY,
                source.get().decide(Role.CONNECT, false, 0, 0x0a000002, 80).verdict());
        assertEquals(List.of(), source.get().lint());
    }

    /** Goal: rules that stay in force wait for their hosts as before, and the file is not read. */
    @Test
    void aRefusedFileDoesNotEndTheLookUps() throws Exception {
        files.write("f", "use sdp connect * far.example:80\nuse tcp connect * *:*\n");
        PolicySource source = open("f", null);
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source), "it could be that address");
        files.write("f", "use sdp connect * x.example:80\n" + BAD);
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
        List<String> told = List.copyOf(lines);
        hosts.put("far.example", SECOND);
        clock.addAndGet(PolicySource.LOOK_UP_NANOS);
        await().until(() -> verdict(source) == Verdict.KERNEL);
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source, 0x0a000002));
        assertEquals(2, files.reads.get());
        assertEquals(told, lines);
    }

    /**
     * Goal: a file that was refused and is gone comes into force no more. Method: the JDK's dialect
     * refuses it for an unknown host; then it is deleted, and the host gets an address.
     */
    @Test
    void aRefusedFileThatIsGoneIsForgotten() {
        files.write("f", "connect far.example 80\n");
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Environment noting =
                with(
                        host -> {
                            asked.add(host);
                            return hosts.getOrDefault(host, List.of());
                        });
        PolicySource source = open("f", null, false, noting);
        assertEquals(Verdict.KERNEL, verdict(source, 0x0a000002));
        files.delete("f");
        passSecond();
        assertEquals(Verdict.KERNEL, verdict(source, 0x0a000002));
        hosts.put("far.example", SECOND);
        clock.addAndGet(PolicySource.LOOK_UP_NANOS);
        assertEquals(Verdict.KERNEL, verdict(source, 0x0a000002));
        files.write("f", "connect late.example 80\n");
        passSecond();
        assertEquals(Verdict.KERNEL, verdict(source, 0x0a000002));
        await().until(() -> asked.contains("late.example"));
        assertEquals(List.of("far.example", "late.example"), List.copyOf(asked));
    }

    /**
     * Goal: a resolver may need what the loading thread holds. Method: one that answers only after
     * the load, in both dialects, at the start and for a new file.
     */
    @Test
    void theLoaderDoesNotWaitForAResolverThatWaitsForIt() throws Exception {
        List<String> texts =
                List.of(
                        "use sdp connect * slow.example:80\nuse tcp connect * *:*\n",
                        "connect slow.example 80\n");
        for (String text : texts) {
            for (String first : List.of(text, TCP)) {
                CountDownLatch loaded = new CountDownLatch(1);
                Environment slow = with(new Late(loaded));
                files.write("f", first);
                PolicySource source = open("f", null, false, slow);
                files.write("f", text);
                passSecond();
                Verdict meanwhile = text.startsWith("use") ? Verdict.OFFLOAD_ONLY : Verdict.KERNEL;
                assertEquals(meanwhile, verdict(source), text);
                loaded.countDown();
                await().until(() -> verdict(source, 0x0a000002) != Verdict.KERNEL);
                await().until(() -> verdict(source) == Verdict.KERNEL);
            }
        }
    }

    /** Answers with 10.0.0.2, after {@code loaded}. */
    private record Late(CountDownLatch loaded) implements HostLookup {
        @Override
        public List<AddressRange> ranges(String host) {
            try {
                boolean _ = loaded.await(30, TimeUnit.SECONDS); // else the loader waits for this
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return SECOND;
        }
    }

    /** Goal: the JDK's first look-up finds a resolver by this loader, as it would without us. */
    @Test
    void hostsAreLookedUpWithTheAskersContextClassLoader() {
        List<ClassLoader> seen = Collections.synchronizedList(new ArrayList<>());
        Environment noting =
                with(
                        host -> {
                            seen.add(Thread.currentThread().getContextClassLoader());
                            return List.of();
                        });
        files.write("f", "use sdp connect * far.example:80\n");
        Thread asker = Thread.currentThread();
        ClassLoader usual = asker.getContextClassLoader();
        ClassLoader mine = new ClassLoader(usual) {};
        asker.setContextClassLoader(mine);
        try {
            PolicySource source = open("f", null, false, noting);
            await().until(
                            () -> {
                                clock.addAndGet(PolicySource.LOOK_UP_NANOS);
                                source.get();
                                return seen.size() >= 2;
                            });
        } finally {
            asker.setContextClassLoader(usual);
        }
        assertEquals(List.of(mine, mine), new ArrayList<>(seen).subList(0, 2)); // one more may come
    }

    /** Method: an answer that takes longer than an application's thread would wait. */
    @Test
    void aCommandWaitsForAllAnswers() {
        CountDownLatch opened = new CountDownLatch(1);
        Environment slow =
                with(
                        host -> {
                            try {
                                boolean _ = opened.await(1500, TimeUnit.MILLISECONDS);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            return SECOND;
                        });
        files.write("f", "use sdp connect * slow.example:80\nuse tcp connect * *:*\n");
        PolicySource source =
                PolicySource.open("f", null, false, "p", slow, Long.MAX_VALUE, lines::add, null);
        opened.countDown();
        assertEquals(List.of(), lines);
        assertEquals(Verdict.KERNEL, verdict(source));
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source, 0x0a000002));
    }

    /**
     * Goal: a name without an answer holds back no name before it. Method: the last of ten has none
     * until the others are known; the first is answered after the load.
     */
    @Test
    void anAnswerCountsBeforeTheOthersHaveCome() {
        CountDownLatch loaded = new CountDownLatch(1);
        CountDownLatch seen = new CountDownLatch(1);
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Environment slow =
                with(
                        host -> {
                            asked.add(host);
                            return new Late(asked.size() == 10 ? seen : loaded).ranges(host);
                        });
        List<String> names = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            names.add("h" + (char) ('z' - i) + ".example");
            text.append("use sdp connect * ").append(names.get(i)).append(":").append(80 + i);
            text.append("\n");
        }
        files.write("f", text + "use tcp connect * *:*\n");
        PolicySource source = open("f", null, false, slow);
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
        int reported = lines.size();
        try {
            loaded.countDown();
            await().until(() -> verdict(source) == Verdict.KERNEL);
            await().until(() -> source.get().lint().size() == 1);
            assertEquals(1, seen.getCount());
        } finally {
            seen.countDown();
        }
        await().until(() -> source.get().lint().isEmpty());
        assertEquals(names, asked);
        assertEquals(reported, lines.size(), "what was reported already");
    }

    /** Goal: the rules loaded before stay, also if they wait for a host. */
    @Test
    void anEmptiedFileIsNotTakenWhenAHostIsLookedUpAgain() throws Exception {
        files.write("f", "use sdp connect * far.example:80\nuse tcp connect * *:*\n");
        PolicySource source = open("f", null);
        files.write("f", "");
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
        clock.addAndGet(PolicySource.LOOK_UP_NANOS);
        source.get();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("sdp4j-hosts")) {
                thread.join();
            }
        }
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
    }

    private static final String NAMED = "use sdp connect * far.example:80\nuse tcp connect * *:*\n";

    private void assertOnlyFarIsOffloaded(PolicySource source) {
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source, 0x0a000002));
        assertEquals(Verdict.KERNEL, verdict(source));
    }

    /** Goal: the rules loaded before stay. Method: files, and answers, that are gone by then. */
    @Test
    void aLaterSourceGoesOnWithTheRules() {
        for (String file : List.of("f", RuleFileChoice.LIBSDP_FILE)) {
            String explicit = file.equals("f") ? file : null;
            for (String text : List.of(NAMED, BAD, "", "gone")) {
                for (boolean seen : List.of(true, false)) {
                    hosts.put("far.example", SECOND);
                    files.write(file, NAMED);
                    PolicySource source = open(explicit, null);
                    hosts.clear();
                    if (text.equals("gone")) {
                        files.delete(file);
                    } else if (!text.equals(NAMED)) {
                        files.write(file, text);
                    }
                    if (seen) {
                        passSecond();
                        assertOnlyFarIsOffloaded(source);
                    }
                    PolicySource later = after(source, explicit);
                    assertOnlyFarIsOffloaded(later);
                    passSecond();
                    assertOnlyFarIsOffloaded(after(later, explicit));
                    assertEquals(source.origin(), later.origin());
                }
            }
        }
    }

    @Test
    void aLaterSourceKnowsWhatIsNew() {
        files.write("f", NAMED);
        PolicySource source = open("f", null);
        hosts.put("far.example", SECOND);
        assertOnlyFarIsOffloaded(after(source, "f"));
        files.write("g", SDP);
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(after(source, "g")), "another file");
        files.write("f", TCP);
        PolicySource later = after(source, "f");
        assertEquals(Verdict.KERNEL, verdict(later, 0x0a000002));
        files.write("f", SDP);
        passSecond();
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(later));
    }

    /** Goal: a file that is refused until its hosts are known is not forgotten. */
    @Test
    void aLaterSourceReadsWhatWaitsForHosts() {
        files.write("f", TCP);
        PolicySource source = open("f", null);
        files.write("f", "connect far.example 80\n");
        passSecond();
        assertEquals(Verdict.KERNEL, verdict(source, 0x0a000002));
        hosts.put("far.example", SECOND);
        assertNotEquals(Verdict.KERNEL, verdict(after(source, "f"), 0x0a000002));
    }

    @Test
    void aLaterSourceLoadsAFileThatWasRefused() {
        files.write("f", BAD);
        PolicySource source = open("f", null);
        files.write("f", SDP);
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(after(source, "f")));
    }

    @Test
    void requiredRulesRefuseInsteadOfUsingTcp() {
        files.write("bad", BAD);
        files.write("empty", "# soon\n");
        files.write("good", TCP);
        for (String file : List.of("bad", "empty", "gone", "")) {
            lines.clear();
            PolicySource source = open(file, null, true, environment);
            assertEquals(Verdict.OFFLOAD_ONLY, verdict(source), file);
            assertEquals(1, lines.size(), lines::toString);
            assertTrue(
                    lines.getFirst().endsWith("; a connection that cannot be offloaded is refused"),
                    file);
            files.write(file, "# still not\n");
            passSecond();
            assertEquals(Verdict.OFFLOAD_ONLY, verdict(source), file);
            boolean looked = !file.isEmpty();
            assertEquals(looked ? 2 : 1, lines.size(), lines::toString);
            if (looked) {
                assertEquals(
                        "sdp4j: "
                                + file
                                + " has no rule: refused; a connection that cannot be offloaded"
                                + " is refused",
                        lines.getLast());
            }
        }
        assertEquals(Verdict.KERNEL, verdict(open("good", null, true, environment)));
    }

    @Test
    void aFailingSinkDoesNotHurtTheCaller() {
        files.write("f", TCP);
        PolicySource source =
                PolicySource.open(
                        "f",
                        null,
                        false,
                        "p",
                        environment,
                        PolicySource.ANSWER_NANOS,
                        line -> {
                            throw new IllegalStateException(line);
                        },
                        null);
        files.write("f", BAD);
        passSecond();
        assertEquals(Verdict.KERNEL, verdict(source));
    }

    /**
     * Goal: no thread waits for a slow file. Method: hold the reload inside its read, and ask from
     * outside.
     */
    @Test
    void othersDoNotWaitForAReload() throws Exception {
        files.write("f", TCP);
        PolicySource source = open("f", null);
        files.write("f", SDP);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        files.beforeRead =
                () -> {
                    inside.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                };
        passSecond();
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<Verdict> reloader = executor.submit(() -> verdict(source));
            try {
                assertTrue(inside.await(30, TimeUnit.SECONDS));
                passSecond();
                assertEquals(Verdict.KERNEL, verdict(source));
            } finally {
                goOn.countDown();
            }
            assertEquals(Verdict.OFFLOAD_ONLY, reloader.get(30, TimeUnit.SECONDS));
        }
        assertEquals(Verdict.OFFLOAD_ONLY, verdict(source));
        assertEquals(2, files.reads.get());
    }

    /** Goal: every answer is one whole policy. Method: files that change while many threads ask. */
    @Test
    void everyAnswerIsAWholePolicy() throws Exception {
        List<Verdict> verdicts = List.of(Verdict.values());
        String both = "use %s connect * *:80\nuse %s connect * *:81\n";
        files.write("f", both.formatted("tcp", "tcp"));
        PolicySource source = open("f", null);
        try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
            List<Future<?>> askers = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                askers.add(
                        executor.submit(
                                () -> {
                                    for (int i = 0; i < 20_000; i++) {
                                        Policy p = source.get();
                                        assertSame(
                                                p.decide(Role.CONNECT, false, 0, 1, 80).verdict(),
                                                p.decide(Role.CONNECT, false, 0, 1, 81).verdict());
                                    }
                                }));
            }
            for (int i = 0; i < 200; i++) {
                String word = verdicts.get(i % 4).word();
                files.write("f", both.formatted(word, word));
                passSecond();
                source.get();
            }
            for (Future<?> asker : askers) {
                asker.get(60, TimeUnit.SECONDS);
            }
        }
        assertEquals(List.of(), lines);
    }

    @Test
    void readsRealFilesEvenInAnInterruptedThread(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("rules.conf");
        Files.writeString(file, TCP);
        Environment real = Environment.system();
        Environment mine =
                new Environment(
                        properties::get, variables::get, real.files(), clock::get, h -> List.of());
        PolicySource source = open(file.toString(), null, false, mine);
        assertEquals(Verdict.KERNEL, verdict(source));
        Path next = folder.resolve("next");
        Files.writeString(next, SDP); // same size; told apart by time or inode
        Files.setLastModifiedTime(next, Files.getLastModifiedTime(file));
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        passSecond();
        Thread.currentThread().interrupt();
        Verdict verdict = verdict(source);
        assertTrue(Thread.interrupted(), "the interrupt is the application's");
        assertEquals(Verdict.OFFLOAD_ONLY, verdict);
        assertEquals(List.of(), lines);
    }

    @Test
    void refusesWhatIsNoRuleFile(@TempDir Path folder) throws IOException {
        Path huge = folder.resolve("huge");
        Files.write(huge, new byte[Environment.MAX_FILE_BYTES + 1]);
        for (String file :
                List.of(folder.toString(), huge.toString(), "a\u0000b", folder + "/none")) {
            lines.clear();
            PolicySource source = open(file, null, false, Environment.system());
            assertEquals(Verdict.KERNEL, verdict(source));
            assertEquals(1, lines.size(), () -> lines + "");
        }
    }

    @Test
    void namesTheProgram() {
        assertEquals("java", RuleFileChoice.programName("", environment));
        properties.put("sun.java.command", "/opt/db/h2-2.4.jar -tcp");
        assertEquals("h2-2.4.jar", RuleFileChoice.programName("", environment));
        properties.put("sun.java.command", "my.module/com.acme.Main x");
        assertEquals("com.acme.Main", RuleFileChoice.programName(null, environment));
        assertEquals("given", RuleFileChoice.programName(" given ", environment));
    }

    @Test
    void namesAJarInAFolderWithABlank() {
        properties.put("java.class.path", "/opt/my apps/my db.jar:/opt/sdp4j-agent.jar");
        for (String arguments : List.of("", " -tcp")) {
            properties.put("sun.java.command", "/opt/my apps/my db.jar" + arguments);
            assertEquals("my db.jar", RuleFileChoice.programName("", environment));
        }
        properties.put("sun.java.command", "com.acme.Main x.jar");
        assertEquals("com.acme.Main", RuleFileChoice.programName("", environment));
    }
}
