package io.sdp4j.agent.log;

import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * A logger of one name; level and {@link LogSink} are common to all loggers. Stateless,
 * thread-safe.
 */
final class SinkLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    SinkLogger(String name) {
        this.name = name;
    }

    @Override
    public boolean isTraceEnabled() {
        return LogSink.enabled(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return LogSink.enabled(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return LogSink.enabled(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return LogSink.enabled(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return LogSink.enabled(Level.ERROR);
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
        LogSink.write(level, name, MessageFormatter.basicArrayFormat(pattern, arguments), thrown);
    }
}
