/**
 * Plain JDK programs that know nothing of sdp4j, for its demonstration, tests and readers.
 *
 * <p>Each has a {@code main}, takes {@code --name value} options, prints {@code READY port} when it
 * is a server and {@code key=value} lines when it has results. Exit codes: 0 done, 1 a check
 * failed, 2 wrong options.
 */
package io.sdp4j.samples;
