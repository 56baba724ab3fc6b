/** The command line. */
package io.sdp4j.agent.cli;
