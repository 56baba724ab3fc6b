package io.sdp4j.policy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Where the policy comes from, and the policy itself, kept up to date with its file.
 *
 * <p>The file is chosen once: {@link RuleFileChoice}. With none, offload comes first for
 * everything, or, if rules are required, what cannot be offloaded is refused.
 *
 * <p>At most once a second {@link #get} compares time, size and identity of the file with those
 * that it saw last. A new file replaces the policy in one step, for later decisions only. A file
 * that has errors, is gone, or has no rule where there were some, leaves the old rules in force and
 * is reported once. If the file cannot be used at the start, everything goes to the kernel until
 * the file is mended; or, if rules are required, what cannot be offloaded is refused. Replace a
 * live file by renaming a complete one over it: a file that is written in place may be read
 * half-written.
 *
 * <p>Host names are looked up by a thread of their own. The thread that loads a file waits for it
 * for a second at most: it may hold locks that the application's resolver needs for its answers. (A
 * command's JVM has no application, and waits for all answers.) The names are looked up one after
 * the other in the order of the file. A name that has no answer by then, or is unknown, has no
 * address for now. Each later answer counts at once; unknown names are looked up again every ten
 * seconds. Until then a rule that allows nothing but offload counts for every address that could be
 * its host.
 *
 * <p>Shape: {@code policy} and {@code nextCheckNanos} are volatile; {@code checking} admits one
 * thread to the file and guards {@code seen}. Callers never wait for it: while one thread reloads,
 * the others get the policy there is. Any number of threads may call {@link #get}.
 */
public final class PolicySource implements Supplier<Policy> {
    static final long CHECK_NANOS = 1_000_000_000L;
    private static final int MAX_REPORTED = 5;

    /** How long a load waits for the answers to all host names of a file. */
    static final long ANSWER_NANOS = 1_000_000_000L;

    /** Value of {@code unknownHosts} for a file that is refused as a whole. */
    private static final int REFUSED = Integer.MAX_VALUE;

    /**
     * Time between two look-ups of unknown hosts: as long as the JDK itself remembers that a host
     * is unknown.
     */
    static final long LOOK_UP_NANOS = 10_000_000_000L;

    private final Environment environment;
    private final Consumer<String> sink;
    private final String programName;
    private final RuleFileChoice choice; // null: no file
    private final boolean required;
    private final long answerNanos; // how long a load waits for the hosts
    private final ReentrantLock checking = new ReentrantLock();
    private final AtomicLong generation = new AtomicLong();

    private volatile List<String> problems = List.of();
    private Environment.Stamp seen; // guarded by checking; null: could not be looked at

    /**
     * Guarded by checking: rules that wait for hosts, those in force or those of a file that is
     * refused until its hosts are known; null: none.
     */
    private Names names;

    private Names adopted; // guarded by checking: those of the rules in force; null: no file's
    private int unknownHosts; // guarded by checking: how many of those rules wait
    private long nextLookUpNanos; // guarded by checking
    private volatile Policy policy;
    private volatile long nextCheckNanos;

    private PolicySource(
            RuleFileChoice choice,
            boolean required,
            String programName,
            Environment environment,
            long answerNanos,
            Consumer<String> sink) {
        this.choice = choice;
        this.required = required;
        this.answerNanos = answerNanos;
        this.programName = programName;
        this.environment = environment;
        this.sink = sink;
    }

    /**
     * Chooses the file and loads it, as an agent with these settings.
     *
     * @param options the agent's options
     * @param jdkConf value of {@code com.sun.sdp.conf} before the agent cleared it; null or empty:
     *     not given
     * @param environment where everything else is read from
     * @param sink takes one line for each thing the operator should know
     * @param before {@link #state} of an earlier source of this JVM, which this one goes on from if
     *     it is to use the same file; may be null
     */
    public static PolicySource open(
            Map<String, String> options,
            String jdkConf,
            Settings settings,
            Environment environment,
            Consumer<String> sink,
            Object[] before) {
        return open(
                options.get(PolicySettings.POLICY.option()),
                jdkConf,
                settings.flag(PolicySettings.REQUIRED),
                RuleFileChoice.programName(settings.text(PolicySettings.PROGRAM), environment),
                environment,
                ANSWER_NANOS,
                sink,
                before);
    }

    /**
     * The same in a JVM without an agent, for a program of which only the name is known. Waits for
     * the answers to all host names: the caller holds no lock that a resolver may need.
     */
    public static PolicySource open(String explicit, String programName, Consumer<String> sink) {
        Environment system = Environment.system();
        String jdkConf = system.property().apply("com.sun.sdp.conf");
        Settings settings = Settings.of(List.of(PolicySettings.REQUIRED), Map.of(), _ -> {});
        boolean required = settings.flag(PolicySettings.REQUIRED);
        return open(explicit, jdkConf, required, programName, system, Long.MAX_VALUE, sink, null);
    }

    static PolicySource open(
            String explicit,
            String jdkConf,
            boolean required,
            String programName,
            Environment environment,
            long answerNanos,
            Consumer<String> sink,
            Object[] before) {
        Objects.requireNonNull(programName);
        RuleFileChoice choice = RuleFileChoice.of(explicit, jdkConf, environment);
        if (choice == null && before != null) { // the usual file is gone
            RuleFile.Dialect whenSilent = RuleFile.Dialect.valueOf((String) before[2]);
            choice = new RuleFileChoice((String) before[0], (String) before[1], whenSilent);
        }
        PolicySource source =
                new PolicySource(choice, required, programName, environment, answerNanos, sink);
        source.checking.lock(); // names may be answered before the start is over
        try {
            source.start(before);
        } finally {
            source.checking.unlock();
        }
        return source;
    }

    private void start(Object[] before) {
        nextCheckNanos = environment.nanoTime().getAsLong() + CHECK_NANOS;
        if (choice == null) {
            if (required) {
                withoutRules(origin());
            } else {
                policy = Policy.allowAll();
            }
            return;
        }
        boolean same = before != null && choice.file().equals(before[0]);
        Loaded loaded = same ? resume(before) : load();
        if (required && loaded.empty()) {
            withoutRules(choice.file() + " has no rule, and rules are required");
        } else if (!adopt(loaded)) {
            problems = List.copyOf(loaded.notes);
            String why = loaded.notes.getFirst();
            String more =
                    loaded.notes.size() > 1 ? " (" + (loaded.notes.size() - 1) + " more)" : "";
            withoutRules("rule file refused: " + why + more);
        }
    }

    private void withoutRules(String why) {
        Verdict verdict = required ? Verdict.OFFLOAD_ONLY : Verdict.KERNEL;
        policy = Policy.everything(Decision.withoutRules(verdict, why));
        report(List.of(why + "; " + inForce()));
    }

    /** Names the rules that hold without the file that was refused. */
    private String inForce() {
        if (generation.get() > 0) {
            return "the rules loaded before stay";
        }
        return required
                ? "a connection that cannot be offloaded is refused"
                : "every connection uses kernel TCP";
    }

    /** The policy in force. Costs a clock read; once a second one caller also looks at the file. */
    @Override
    public Policy get() {
        if (choice != null) {
            long now = environment.nanoTime().getAsLong();
            if (now - nextCheckNanos >= 0 && checking.tryLock()) {
                try {
                    check();
                } finally {
                    // Counted from the end, so that a slow file system is not asked all the time.
                    nextCheckNanos = environment.nanoTime().getAsLong() + CHECK_NANOS;
                    checking.unlock();
                }
            }
        }
        return policy;
    }

    private void check() {
        assert checking.isHeldByCurrentThread();
        Environment.Stamp stamp = null;
        try {
            stamp = environment.files().stamp(choice.file());
        } catch (IOException | RuntimeException e) {
            // A null stamp is compared like any other: the file may have been unreadable before.
        }
        if (Objects.equals(stamp, seen)) {
            lookUpAgain();
            return;
        }
        Loaded loaded = load();
        if (loaded.empty() && (required || !policy.rules().isEmpty())) {
            report(
                    List.of(
                            choice.file()
                                    + (generation.get() > 0
                                            ? " has no rule any more"
                                            : " has no rule")
                                    + ": refused; "
                                    + inForce()));
        } else if (!adopt(loaded)) {
            int shown = Math.min(loaded.notes.size(), MAX_REPORTED);
            report(loaded.notes.subList(0, shown));
            String many =
                    loaded.notes.size() > shown ? " (" + loaded.notes.size() + " errors)" : "";
            report(List.of("new rule file refused" + many + "; " + inForce()));
        }
    }

    /** Looks up unknown hosts again if that is due. Guarded by checking. */
    private void lookUpAgain() {
        assert checking.isHeldByCurrentThread();
        long now = environment.nanoTime().getAsLong();
        if (names != null && !names.hosts.asking() && now - nextLookUpNanos >= 0) {
            nextLookUpNanos = now + LOOK_UP_NANOS;
            names.hosts.ask();
        }
    }

    /** One state of the file, and the hosts that it names. */
    private final class Names implements Runnable {
        private final String text;
        final NamedHosts hosts = new NamedHosts(environment.hosts(), this);

        Names(String text) {
            this.text = text;
        }

        /**
         * Returns the rules with the addresses that are known; the first call only collects the
         * names.
         */
        Loaded load() {
            Names waits = hosts.allKnown() ? null : this; // first: an answer may come meanwhile
            RuleFile file = RuleFile.parse(choice.file(), text, hosts, choice.whenSilent());
            if (!file.ok()) {
                return Loaded.failed(
                        waits, file.errors().stream().map(RuleError::message).toList());
            }
            List<String> notes = new ArrayList<>();
            for (Rule r : file.rules()) {
                if (r.unknownHost()) {
                    notes.add(r + " " + Linter.unknownHost(r) + "; it is looked up again");
                }
            }
            waits = notes.isEmpty() ? null : this;
            return new Loaded(this, waits, file.policy(programName), notes.size(), notes);
        }

        /** Counts an answer that came after the wait for it. */
        @Override
        public void run() {
            checking.lock();
            try {
                if (names == this) {
                    Loaded loaded = load();
                    if (loaded.policy != null && loaded.unknownHosts < unknownHosts) {
                        adopt(loaded.withoutNotes());
                    }
                }
            } finally {
                checking.unlock();
            }
        }
    }

    /**
     * Puts the loaded rules in force, if there are any. Else the earlier rules stay, and only the
     * hosts that a refused file waits for are taken over.
     */
    private boolean adopt(Loaded loaded) {
        assert checking.isHeldByCurrentThread();
        if (loaded.policy != null || loaded.waits != null) {
            names = loaded.waits;
            unknownHosts = loaded.unknownHosts;
            nextLookUpNanos = environment.nanoTime().getAsLong() + LOOK_UP_NANOS;
        }
        if (loaded.policy == null) {
            return false;
        }
        adopted = loaded.of;
        policy = loaded.policy;
        generation.incrementAndGet();
        report(loaded.notes);
        return true;
    }

    /** The outcome of one look at the file: a policy with its warnings, or null with the errors. */
    private record Loaded(
            Names of, Names waits, Policy policy, int unknownHosts, List<String> notes) {
        static Loaded failed(Names waits, List<String> notes) {
            return new Loaded(null, waits, null, REFUSED, notes);
        }

        /** A copy without the notes, which were reported. */
        Loaded withoutNotes() {
            return new Loaded(of, waits, policy, unknownHosts, List.of());
        }

        boolean empty() {
            return policy != null && policy.rules().isEmpty();
        }
    }

    /** Loads the file, whose present state then counts as seen. */
    private Loaded load() {
        assert checking.isHeldByCurrentThread();
        seen = null;
        if (unknownHosts == REFUSED) {
            names = null; // those of a file that was never in force
        }
        try {
            // first: a later write must look like a change
            seen = environment.files().stamp(choice.file());
            return answered(new Names(environment.files().read(choice.file())));
        } catch (IOException | RuntimeException e) {
            String note = choice.file() + " (" + choice.namedBy() + ") " + reason(e);
            return Loaded.failed(null, List.of(note));
        }
    }

    /** Loads a state of the file with the answers for its hosts that come in time. */
    private Loaded answered(Names found) {
        Loaded loaded = found.load();
        // an error in the file stays, no matter what addresses the hosts have
        if (loaded.policy == null || found.hosts.none() || environment.hosts() == null) {
            return loaded;
        }
        found.hosts.ask();
        found.hosts.awaitAnswers(answerNanos);
        return found.load();
    }

    /** Loads the rules in force; {@link #get} then compares the file with its state before. */
    private Loaded resume(Object[] before) {
        Names found = new Names((String) before[3]);
        found.hosts.know((Map<?, ?>) before[4]);
        if (before[5] instanceof Object[] stamp) {
            seen = new Environment.Stamp((long) stamp[0], (long) stamp[1], stamp[2]);
        }
        nextCheckNanos = environment.nanoTime().getAsLong();
        return answered(found);
    }

    /**
     * Returns the rules of the file that are in force, for {@link #open}: a source that is opened
     * later would lose them if the file is bad or gone by then, or its hosts have no answer.
     *
     * @return objects of the JDK, as the classes of that source may be another loader's; null if no
     *     file's rules are in force
     */
    public Object[] state() {
        checking.lock();
        try {
            // a file that is refused until its hosts are known is to be read again
            boolean looked = seen != null && unknownHosts != REFUSED;
            return adopted == null
                    ? null
                    : new Object[] {
                        choice.file(),
                        choice.namedBy(),
                        choice.whenSilent().name(),
                        adopted.text,
                        adopted.hosts.literals(),
                        looked
                                ? new Object[] {
                                    seen.modifiedNanos(), seen.sizeBytes(), seen.identity()
                                }
                                : null
                    };
        } finally {
            checking.unlock();
        }
    }

    private static String reason(Exception e) {
        if (e instanceof NoSuchFileException) {
            return "does not exist";
        }
        if (e instanceof AccessDeniedException) {
            return "may not be read by this user";
        }
        return e instanceof InvalidPathException
                ? "is not a file name"
                : "cannot be read: " + e.getMessage();
    }

    private void report(List<String> lines) {
        for (String line : lines) {
            try {
                sink.accept("sdp4j: " + line);
            } catch (RuntimeException e) {
                // A connect at this moment must not suffer from a log that fails.
            }
        }
    }

    /** Everything that was wrong with the file at the start; empty if it could be used. */
    public List<String> problems() {
        return problems;
    }

    /** The file in use or wanted; null: none was named and none is in the usual place. */
    public String file() {
        return choice == null ? null : choice.file();
    }

    /** Where the name of the file came from, for people. */
    public String origin() {
        if (choice == null) {
            return required
                    ? "no rule file, and rules are required"
                    : "no rule file: everything may be offloaded";
        }
        return choice.origin();
    }

    /** How often rules were put in force, late answers of hosts included; 0 while none could be. */
    public long generation() {
        return generation.get();
    }
}
