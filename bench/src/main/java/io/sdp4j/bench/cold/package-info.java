/**
 * The worker programs of {@code bench cold}: as short as a user would write them, because what a
 * JVM costs that has compiled nothing yet depends on what else it has to load.
 */
package io.sdp4j.bench.cold;
