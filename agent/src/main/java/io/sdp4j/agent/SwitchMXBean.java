package io.sdp4j.agent;

/** {@value JmxBean#NAME}: counts of this JVM's switch since it started. */
public interface SwitchMXBean {
    /** The whole report as JSON, as docs/report.md describes. */
    String getReport();

    /** Connections made and offloaded, over all fabrics. */
    long getOffloaded();

    /** Connections made on kernel TCP by decision; docs/report.md lists the reasons. */
    long getKernelByPolicy();

    /** Connections made on kernel TCP because offload was not possible. */
    long getKernelByFallback();

    /** Connections accepted and offloaded, over all fabrics. */
    long getAcceptedOffloaded();

    /** Connections accepted from kernel TCP. */
    long getAcceptedKernel();

    /** Offloaded connections, made and accepted, that began on kernel TCP. */
    long getMoved();

    /** Payload bytes read from offloaded connections. */
    long getBytesRead();

    /** Payload bytes written to offloaded connections. */
    long getBytesWritten();
}
